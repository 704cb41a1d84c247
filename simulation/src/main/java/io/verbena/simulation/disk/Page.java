package io.verbena.simulation.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A page of a file. Arrays of content never change, so that they can be shared. */
final class Page {
    /** The most contents that are kept for a crash, besides those that a force is about to write. */
    private static final int MAX_VERSIONS = 4;

    /** What programs see; null for a hole. */
    byte[] now;

    /** What is on stable storage; null for a hole. */
    byte[] stable;

    /** The contents since the last one on stable storage, as far as they are kept. */
    private final List<Version> versions = new ArrayList<>(2);

    /** A content that a write has left. */
    static final class Version {
        /** How many truncations were before it. */
        final int epoch;

        /** Its place among the writes to the file. */
        final long sequence;

        byte[] data;

        /** The end of the file in this page, or that of the page, as an offset in the file. */
        long end;

        /** How many forces are about to write it. */
        int pins;

        Version(byte[] data, long end, int epoch, long sequence) {
            this.data = data;
            this.end = end;
            this.epoch = epoch;
            this.sequence = sequence;
        }
    }

    void wrote(Version version) {
        now = version.data;
        versions.add(version);
        if (versions.size() > MAX_VERSIONS) {
            for (int each = 0; each < versions.size() - 1; each++) {
                if (versions.get(each).pins == 0) {
                    versions.remove(each);
                    return;
                }
            }
        }
    }

    boolean isDirty() {
        return !versions.isEmpty();
    }

    boolean isEmpty() {
        return now == null && stable == null && versions.isEmpty();
    }

    /** The present content of a page that is dirty. */
    Version latest() {
        return versions.get(versions.size() - 1);
    }

    List<Version> versions() {
        return versions;
    }

    /** Brings a version to stable storage. */
    void store(Version version) {
        stable = version.data;
        clean(version);
    }

    /** Forgets a version, and those before it, without writing them. */
    void clean(Version upTo) {
        versions.removeIf(each -> each.sequence <= upTo.sequence);
    }

    /**
     * Brings a truncation to stable storage that ends in this page, or before it.
     *
     * @param kept the octets of this page that stay
     */
    void cut(int kept, int epoch, long size) {
        stable = kept == 0 ? null : head(stable, kept);
        versions.removeIf(each -> kept == 0 && each.epoch < epoch);
        for (Version each : versions) {
            if (each.epoch < epoch) {
                each.data = head(each.data, kept);
                each.end = Math.min(each.end, size);
            }
        }
    }

    /** The first octets of a page, with zeros behind them. */
    static byte[] head(byte[] page, int kept) {
        return page == null ? null : Arrays.copyOf(Arrays.copyOf(page, kept), FileContent.PAGE);
    }

    /** The present content is what is on stable storage, as after a crash. */
    void restore() {
        now = stable;
        versions.clear();
    }
}
