package io.verbena.nfs41.server.internal.vfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.HeapShare;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.runtime.Runtime;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The entries of directories, in a stable order: the order of a keyed hash of the name's octets, which is the cookie. A
 * cookie therefore means the same place whatever is added or removed, also after a restart, and every cookie is valid.
 *
 * <p>A directory is read and sorted once for each pass. The listing is kept under the cookie verifier of the first
 * page, and later pages are cut from it. If the listing has been dropped, by age or number, the next page makes a new
 * listing and continues at its cookie. Entries that are added during a pass may be left out, as in POSIX readdir.
 *
 * <p>If a directory is too large for this class's share of the heap, only the next names in the order of the cookies
 * are listed, and the directory is read again when a page needs further names. Thread safe.
 */
public final class DirectoryListings {
    private static final int MAX_LISTINGS = 256;

    /** The heap that a name takes in addition to its octets. */
    private static final int NAME_OCTETS = 96;

    private static final long MAX_AGE_NANOS = Duration.ofMinutes(2).toNanos();
    private static final long FIRST_COOKIE = 3; // RFC 8881 section 18.23.3: 0 is the start, 1 and 2 are reserved

    private final ExportTree tree;
    private final SipHash cookies;
    private final Runtime runtime;
    private final HeapShare share;
    private final HeapShare.Part part;
    private final AtomicLong verifiers;

    @GuardedBy("this")
    private final Map<Long, Listing> kept = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param cookies keyed by a secret that survives restarts, so that no client can make names whose cookies collide
     * @param share the heap that listings may take
     */
    public DirectoryListings(ExportTree tree, SipHash cookies, HeapShare share, Runtime runtime) {
        this.runtime = runtime;
        this.share = share;
        this.part = share.part();
        this.tree = tree;
        this.cookies = cookies;
        this.verifiers = new AtomicLong(runtime.now().toEpochMilli() << 20);
    }

    /** An entry's name, as a text of octets, and its cookie. */
    public record Name(long cookie, String name) {
        int octets() {
            return NAME_OCTETS + name.length();
        }
    }

    /** The names of a directory at one time, or some consecutive ones, in the order of their cookies. */
    public static final class Listing {
        private final Inode directory;
        private final long verifier;
        private final long madeNanos;
        private final long after;
        private final boolean complete;
        private final long octets;
        private final Name[] names;

        Listing(Inode directory, long verifier, long madeNanos, SortedNames next) {
            this.directory = directory;
            this.verifier = verifier;
            this.madeNanos = madeNanos;
            this.after = next.after();
            this.complete = next.isComplete();
            this.octets = next.octets();
            this.names = next.names();
        }

        /** Whether the listing reaches to the end of the directory. */
        public boolean isComplete() {
            return complete;
        }

        /** The last cookie of the listing. If the listing is not complete, the next one begins after this cookie. */
        public long lastCookie() {
            return names.length == 0 ? after : names[names.length - 1].cookie;
        }

        private boolean covers(long cookie) {
            return cookie >= after && (complete || cookie < lastCookie());
        }

        public long verifier() {
            return verifier;
        }

        public int size() {
            return names.length;
        }

        public Name get(int index) {
            return names[index];
        }

        /** The index of the first entry after a cookie. */
        public int indexBehind(long cookie) {
            int low = 0;
            int high = names.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (names[middle].cookie <= cookie) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }

    /**
     * The listing from which a page is cut.
     *
     * @param verifier that of the page before, or 0 for the first page
     * @param cookie the page begins after this cookie
     */
    public Listing listing(Inode directory, long verifier, long cookie) throws IOException {
        Listing known = verifier == 0 ? null : known(directory, verifier, cookie);
        return known != null ? known : make(directory, cookie);
    }

    /** Whether {@link #listing} finds the listing without reading the directory. */
    public boolean isKept(Inode directory, long verifier, long cookie) {
        return verifier != 0 && known(directory, verifier, cookie) != null;
    }

    private synchronized Listing known(Inode directory, long verifier, long cookie) {
        Listing listing = kept.get(verifier);
        boolean serves = listing != null
                && listing.directory.equals(directory)
                && listing.covers(cookie)
                && runtime.nanoTime() - listing.madeNanos < MAX_AGE_NANOS;
        return serves ? listing : null;
    }

    private Listing make(Inode directory, long cookie) throws IOException {
        long most = reserve();
        try (PinnedDirectory pinned = tree.pin(directory)) {
            SortedNames next = new SortedNames(cookie, most);
            pinned.forEachName(name -> {
                long its = cookie(name);
                if (next.wants(its)) {
                    next.add(new Name(its, OctetText.decode(name)));
                }
                return true;
            });
            Listing listing = new Listing(directory, verifiers.incrementAndGet(), runtime.nanoTime(), next);
            keep(listing);
            return listing;
        } finally {
            part.add(-most);
        }
    }

    /**
     * Reserves heap for a new listing: half of what this class may still take, at least a sixteenth of the share.
     * Before that, drops old listings until these take at most half of the share.
     */
    private synchronized long reserve() {
        shrink(share.limit() / 2);
        long most = Math.max(share.limit() / 16, part.spare() / 2);
        part.add(most);
        part.askOthers();
        return most;
    }

    @GuardedBy("this")
    private void shrink(long bound) {
        Iterator<Listing> oldest = kept.values().iterator();
        while (part.isAbove(bound) && oldest.hasNext()) {
            part.add(-oldest.next().octets);
            oldest.remove();
        }
    }

    private long cookie(byte[] name) {
        return FIRST_COOKIE + (cookies.hash(name) >>> 2);
    }

    private synchronized void keep(Listing listing) {
        if (closed) {
            return;
        }
        kept.put(listing.verifier, listing);
        part.add(listing.octets);
        if (kept.size() > MAX_LISTINGS) {
            Iterator<Listing> oldest = kept.values().iterator();
            part.add(-oldest.next().octets);
            oldest.remove();
        }
    }

    /** Drops all listings. */
    public synchronized void close() {
        closed = true;
        kept.values().forEach(listing -> part.add(-listing.octets));
        kept.clear();
    }

    /** Drops listings that are too old, and listings above this class's part of the heap. Called periodically. */
    public synchronized void dropOld() {
        shrink(share.limit());
        long now = runtime.nanoTime();
        for (Iterator<Listing> each = kept.values().iterator(); each.hasNext(); ) {
            Listing listing = each.next();
            if (now - listing.madeNanos >= MAX_AGE_NANOS) {
                part.add(-listing.octets);
                each.remove();
            }
        }
    }

    /** Reads the attributes of the entries of a pinned directory. */
    @FunctionalInterface
    public interface EntryReader {
        /** An entry, or null if it has been removed since it was listed. */
        FoundObject read(String name) throws IOException;
    }

    /** An action on the entries of a directory. */
    @FunctionalInterface
    public interface Action<T> {
        T apply(EntryReader entries) throws IOException;
    }

    /** Applies an action to the entries of a directory, which is pinned meanwhile. */
    public <T> T withEntries(Inode directory, Action<T> action) throws IOException {
        try (PinnedDirectory pinned = tree.pin(directory)) {
            return action.apply(name -> {
                UnixAttributes attributes = pinned.attributesIfThere(name);
                return attributes == null
                        ? null
                        : new FoundObject(tree.index().seen(attributes, directory, name), attributes);
            });
        }
    }
}
