package io.verbena.simulation.disk;

import io.verbena.simulation.disk.Page.Version;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * The content of a regular file, in pages. A page that was written since it was last forced keeps several of its
 * contents, of which a crash leaves one. Truncations reach stable storage with the journal. A write behind a truncation
 * gets there no sooner than the truncation, so that no octet comes back that was cut off.
 */
final class FileContent {
    static final int PAGE = 4096;

    /** By number. */
    private final TreeMap<Long, Page> pages = new TreeMap<>();

    /** Those that were written since they were last forced. */
    private final TreeMap<Long, Page> dirty = new TreeMap<>();

    private long size;
    private long stableSize;
    private int epoch;
    private int stableEpoch;
    private long sequence;
    private long allocated;

    /** A truncation to a smaller size. */
    record Cut(long size, int epoch) {}

    /** A page that a force is about to write. */
    record Pending(long index, Page page, Version version) {}

    long size() {
        return size;
    }

    long stableSize() {
        return stableSize;
    }

    /** How many pages are no holes. */
    long allocated() {
        return allocated;
    }

    long stableAllocated() {
        return pages.values().stream().filter(page -> page.stable != null).count();
    }

    boolean isDirty() {
        return !dirty.isEmpty();
    }

    /** Reads into a buffer; returns how many octets, or -1 at the end of the file. */
    int read(ByteBuffer target, long position) {
        if (position >= size) {
            return -1;
        }
        int count = (int) Math.min(target.remaining(), size - position);
        for (int done = 0; done < count; ) {
            long at = position + done;
            Page page = pages.get(at / PAGE);
            int offset = (int) (at % PAGE);
            int part = Math.min(PAGE - offset, count - done);
            target.put(page == null || page.now == null ? new byte[PAGE] : page.now, offset, part);
            done += part;
        }
        return count;
    }

    /** Writes a buffer as far as there is room; returns how many octets. */
    int write(ByteBuffer source, long position, Space space) {
        int done = 0;
        while (source.hasRemaining()) {
            long at = position + done;
            long index = at / PAGE;
            int offset = (int) (at % PAGE);
            Page page = pages.get(index);
            if (page == null || page.now == null) {
                if (!space.takePage()) {
                    break;
                }
                allocated++;
            }
            if (page == null) {
                page = new Page();
                pages.put(index, page);
            }
            int part = Math.min(PAGE - offset, source.remaining());
            byte[] data = page.now == null ? new byte[PAGE] : page.now.clone();
            source.get(data, offset, part);
            size = Math.max(size, at + part);
            page.wrote(new Version(data, Math.min(size, (index + 1) * PAGE), epoch, ++sequence));
            dirty.put(index, page);
            done += part;
        }
        return done;
    }

    /** Truncates to a smaller size, for programs; {@link #commit} does so for the stable storage. */
    Cut truncate(long newSize, Space space) {
        epoch++;
        size = newSize;
        int kept = (int) (newSize % PAGE);
        long first = newSize / PAGE;
        Page last = pages.get(first);
        if (kept > 0 && last != null) {
            last.now = Page.head(last.now, kept);
        }
        for (Page page : pages.tailMap(kept > 0 ? first + 1 : first).values()) {
            hole(page, space);
        }
        return new Cut(newSize, epoch);
    }

    private void hole(Page page, Space space) {
        if (page.now != null) {
            page.now = null;
            allocated--;
            space.release(1);
        }
    }

    /** Brings a truncation to stable storage. */
    void commit(Cut cut) {
        stableSize = cut.size;
        stableEpoch = cut.epoch;
        SortedMap<Long, Page> tail = pages.tailMap(cut.size / PAGE);
        for (Iterator<Map.Entry<Long, Page>> each = tail.entrySet().iterator(); each.hasNext(); ) {
            var entry = each.next();
            Page page = entry.getValue();
            int kept = (int) Math.max(0, cut.size - entry.getKey() * PAGE);
            page.cut(kept, cut.epoch, cut.size);
            cleaned(entry.getKey(), page);
            if (page.isEmpty()) {
                each.remove();
            }
        }
    }

    private void cleaned(long index, Page page) {
        if (!page.isDirty()) {
            dirty.remove(index);
        }
    }

    /** Adds what is dirty now to what a force is about to write. */
    void begin(List<Pending> all) {
        dirty.forEach((index, page) -> {
            Version latest = page.latest();
            latest.pins++;
            all.add(new Pending(index, page, latest));
        });
    }

    /**
     * Writes a page, unless it was cut off, written or lost since, or the journal has yet to bring a truncation before
     * it.
     */
    void store(Pending pending) {
        Version version = pending.version;
        if (version.epoch <= stableEpoch && pending.page.versions().contains(version)) {
            pending.page.store(version);
            stableSize = Math.max(stableSize, version.end);
            cleaned(pending.index, pending.page);
        }
    }

    /**
     * Loses a page: it counts as written, and is not.
     *
     * @param evicts whether programs see what is on stable storage from now on
     */
    void lose(Pending pending, boolean evicts, Space space) {
        Page page = pending.page;
        page.clean(pending.version);
        cleaned(pending.index, page);
        boolean isWhole = page.now != null && !page.isDirty() && epoch == stableEpoch;
        if (evicts && isWhole) {
            if (page.stable == null) {
                hole(page, space);
            } else {
                page.now = page.stable;
            }
        }
    }

    /**
     * Brings to stable storage what a crash leaves, once the journal has been committed as far as the crash lets it.
     */
    void crash(RandomGenerator random) {
        int outcome = random.nextInt(4);
        dirty.forEach((index, page) -> {
            List<Version> versions = page.versions();
            int possible = versions.size();
            while (possible > 0 && versions.get(possible - 1).epoch > stableEpoch) {
                possible--;
            }
            int chosen = outcome == 0 ? 0 : outcome == 1 ? possible : random.nextInt(possible + 1);
            if (chosen > 0) {
                Version version = versions.get(chosen - 1);
                page.stable = version.data;
                stableSize = Math.max(stableSize, version.end);
            }
        });
    }

    /** Programs see what is on stable storage. */
    void restore() {
        dirty.clear();
        pages.values().forEach(Page::restore);
        pages.values().removeIf(Page::isEmpty);
        size = stableSize;
        epoch = stableEpoch;
        sequence = 0;
        allocated = pages.size();
    }

    /** Writes pages at random, as the kernel does in the background. */
    void writeBack(RandomGenerator random) {
        List<Pending> chosen = new ArrayList<>();
        dirty.forEach((index, page) -> {
            if (random.nextBoolean()) {
                chosen.add(new Pending(index, page, page.latest()));
            }
        });
        chosen.forEach(this::store);
    }

    /** All octets that programs see. */
    byte[] octets() {
        byte[] all = new byte[Math.toIntExact(size)];
        pages.forEach((index, page) -> copy(page.now, index, all));
        return all;
    }

    /** All octets on stable storage. */
    byte[] stableOctets() {
        byte[] all = new byte[Math.toIntExact(stableSize)];
        pages.forEach((index, page) -> copy(page.stable, index, all));
        return all;
    }

    private static void copy(byte[] page, long index, byte[] all) {
        long at = index * PAGE;
        if (page != null && at < all.length) {
            System.arraycopy(page, 0, all, (int) at, (int) Math.min(PAGE, all.length - at));
        }
    }

    /** Adds what programs see, or what is on stable storage. */
    void hash(StateHash hash, boolean isStable) {
        pages.forEach((index, page) -> {
            byte[] data = isStable ? page.stable : page.now;
            if (data != null) {
                hash.add(index).add(data);
            }
        });
    }
}
