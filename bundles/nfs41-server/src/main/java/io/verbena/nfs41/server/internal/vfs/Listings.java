package io.verbena.nfs41.server.internal.vfs;

import io.verbena.text.OctetText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Directories' entries in an order that lasts: by a keyed hash of the name's octets, which is the cookie. So a cookie means the
 * same place whatever was added or removed meanwhile, over restarts too, and no cookie is ever bad.
 *
 * <p>Reading and sorting a directory is done once a pass: the listing is kept under the cookie verifier that the first
 * page gave out, and later pages are cut from it. When it has been dropped (by age or number), the next page makes a
 * new one and goes on at its cookie. Entries that came while a pass was under way may be left out, as POSIX readdir
 * may. Thread safe.
 */
public final class Listings {
    private static final int MAX_LISTINGS = 256;
    private static final int MAX_NAMES = 4 << 20;
    private static final long MAX_AGE_NANOS = Duration.ofMinutes(2).toNanos();
    private static final long FIRST_COOKIE = 3; // RFC 8881 section 18.23.3: 0 is the start, 1 and 2 are reserved

    private final ExportTree tree;
    private final SipHash cookies;
    private final AtomicLong verifiers;
    private final Map<Long, Listing> kept = new LinkedHashMap<>();
    private int keptNames;

    /**
     * @param cookies keyed by a secret that outlives restarts, so that no client can make names that collide
     */
    public Listings(ExportTree tree, SipHash cookies) {
        this.tree = tree;
        this.cookies = cookies;
        this.verifiers = new AtomicLong(System.currentTimeMillis() << 20);
    }

    /** An entry's name, as a text of octets, and its cookie. */
    public record Name(long cookie, String name) {}

    /** The names of a directory at one moment, in the order of their cookies. */
    public static final class Listing {
        private final Inode directory;
        private final long verifier;
        private final long madeNanos;
        private final Name[] names;

        Listing(Inode directory, long verifier, Name... names) {
            this.directory = directory;
            this.verifier = verifier;
            this.madeNanos = System.nanoTime();
            this.names = names;
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

        /** The index of the first entry behind a cookie. */
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
     * The listing that a page is to be cut from.
     *
     * @param verifier the last page's, or 0 for the first page
     */
    public Listing listing(Inode directory, long verifier) throws IOException {
        Listing known = verifier == 0 ? null : known(directory, verifier);
        return known != null ? known : make(directory);
    }

    /** Whether {@link #listing} need not read the directory. */
    public boolean isKept(Inode directory, long verifier) {
        return verifier != 0 && known(directory, verifier) != null;
    }

    private synchronized Listing known(Inode directory, long verifier) {
        Listing listing = kept.get(verifier);
        boolean serves = listing != null
                && listing.directory.equals(directory)
                && System.nanoTime() - listing.madeNanos < MAX_AGE_NANOS;
        return serves ? listing : null;
    }

    private Listing make(Inode directory) throws IOException {
        List<Name> names = new ArrayList<>();
        try (PinnedDirectory pinned = tree.pin(directory)) {
            pinned.forEachName(name -> names.add(new Name(cookie(name), OctetText.decode(name))));
        }
        names.sort(Comparator.comparingLong(Name::cookie).thenComparing(Name::name));
        Listing listing = new Listing(directory, verifiers.incrementAndGet(), names.toArray(new Name[0]));
        keep(listing);
        return listing;
    }

    private long cookie(byte[] name) {
        return FIRST_COOKIE + (cookies.hash(name) >>> 2);
    }

    private synchronized void keep(Listing listing) {
        kept.put(listing.verifier, listing);
        keptNames += listing.size();
        Iterator<Listing> oldest = kept.values().iterator();
        while (kept.size() > 1 && (kept.size() > MAX_LISTINGS || keptNames > MAX_NAMES)) {
            keptNames -= oldest.next().size();
            oldest.remove();
        }
    }

    /** Drops what is too old to be used. */
    public synchronized void dropOld() {
        long now = System.nanoTime();
        for (Iterator<Listing> each = kept.values().iterator(); each.hasNext(); ) {
            Listing listing = each.next();
            if (now - listing.madeNanos >= MAX_AGE_NANOS) {
                keptNames -= listing.size();
                each.remove();
            }
        }
    }

    /** The attributes of a directory's entries, while it is pinned. */
    @FunctionalInterface
    public interface EntryReader {
        /** An entry, or null where it has gone since it was listed. */
        Found read(String name) throws IOException;
    }

    /** What to do with a listed directory. */
    @FunctionalInterface
    public interface Action<T> {
        T apply(EntryReader entries) throws IOException;
    }

    /** Does something with a directory's entries. */
    public <T> T withEntries(Inode directory, Action<T> action) throws IOException {
        try (PinnedDirectory pinned = tree.pin(directory)) {
            return action.apply(name -> {
                UnixAttributes attributes = pinned.attributesIfThere(name);
                return attributes == null
                        ? null
                        : new Found(tree.index().seen(attributes, directory, name), attributes);
            });
        }
    }
}
