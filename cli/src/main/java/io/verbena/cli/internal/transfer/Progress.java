package io.verbena.cli.internal.transfer;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** How far a copy is. Workers add to it, whoever waits for them looks. Thread safe. */
public final class Progress {
    private final LongAdder octets = new LongAdder();
    private final LongAdder kept = new LongAdder();
    private final LongAdder moved = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final LongAdder unchanged = new LongAdder();
    private final LongAdder withExtendedAttributes = new LongAdder();
    private final LongAdder withoutLinkTimes = new LongAdder();
    private final Queue<String> leftovers = new ConcurrentLinkedQueue<>();
    private volatile long plannedFiles;
    private volatile long plannedOctets;
    private volatile boolean isPlanned;

    /** So much is to do. */
    void plan(long fileCount, long octetCount) {
        plannedFiles = fileCount;
        plannedOctets = octetCount;
        isPlanned = true;
    }

    /** Whether it is known yet how much is to do. */
    public boolean isPlanned() {
        return isPlanned;
    }

    public long plannedFiles() {
        return plannedFiles;
    }

    public long plannedOctets() {
        return plannedOctets;
    }

    /** Octets have passed by; again, where a mount was replaced. */
    void pass(long count) {
        octets.add(count);
    }

    /** Part of a file was there already. */
    void keep(long count) {
        octets.add(count);
        kept.add(count);
    }

    /** A stretch is where it should be. */
    void move(long count) {
        moved.add(count);
    }

    void completeFile() {
        files.increment();
    }

    /** A file was the same already. */
    void leave(long size) {
        octets.add(size);
        unchanged.increment();
    }

    /** A temporary file could not be removed. */
    void leaveBehind(Location file) {
        leftovers.add(file.place());
    }

    /** The temporary files that could not be removed, where they are. */
    public List<String> leftovers() {
        return List.copyOf(leftovers);
    }

    /** Of all files so far, never more than planned. */
    public long octetsDone() {
        return plannedOctets == 0 ? octets.sum() : Math.min(octets.sum(), plannedOctets);
    }

    /** Files that are whole, those that were before too. */
    public long filesDone() {
        return files.sum() + unchanged.sum();
    }

    /** A file or directory has attributes that its copy has not. */
    void noteExtendedAttributes() {
        withExtendedAttributes.increment();
    }

    /** A symbolic link has a time that its copy has not. */
    void noteLinkTime() {
        withoutLinkTimes.increment();
    }

    long withExtendedAttributes() {
        return withExtendedAttributes.sum();
    }

    long withoutLinkTimes() {
        return withoutLinkTimes.sum();
    }

    long movedOctets() {
        return moved.sum();
    }

    long keptOctets() {
        return kept.sum();
    }

    long copiedFiles() {
        return files.sum();
    }

    long unchangedFiles() {
        return unchanged.sum();
    }
}
