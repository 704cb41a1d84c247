package io.verbena.nfs;

import java.util.Iterator;
import java.util.function.BooleanSupplier;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One pass over a directory, read page by page: see {@link Mount#listing}. One thread uses it. The methods of the
 * iterator throw {@link java.io.UncheckedIOException} if a page cannot be read.
 */
@ProviderType
public interface DirectoryListing extends Iterator<DirectoryEntry> {
    /**
     * Returns a test of the entry that was returned last: whether its attributes may be used in place of the attributes
     * that {@link Mount#attributes} would fetch at the time of the test. They may be used if, since the page was
     * requested, nothing was changed or read through this mount, no write is under way, and less time has passed than
     * the mount's {@code actimeo}; with {@code noac} they may never be used. Any thread may call the test, any number
     * of times.
     */
    BooleanSupplier freshness();

    /** A listing of entries of unknown age: their attributes are never fresh. */
    static DirectoryListing of(Iterator<DirectoryEntry> entries) {
        return new DirectoryListing() {
            @Override
            public boolean hasNext() {
                return entries.hasNext();
            }

            @Override
            public DirectoryEntry next() {
                return entries.next();
            }

            @Override
            public BooleanSupplier freshness() {
                return () -> false;
            }
        };
    }
}
