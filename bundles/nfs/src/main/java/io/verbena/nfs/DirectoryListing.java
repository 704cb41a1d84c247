package io.verbena.nfs;

import java.util.Iterator;
import java.util.function.BooleanSupplier;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A directory as it is gone through, page by page: see {@link Mount#listing}. Belongs to one thread. The methods of an
 * iterator throw {@link java.io.UncheckedIOException} where a page cannot be read.
 */
@ProviderType
public interface DirectoryListing extends Iterator<DirectoryEntry> {
    /**
     * Tells, as often as it is asked and on any thread, whether the attributes of the entry that was given last may stand
     * for those that {@link Mount#attributes} would get from the server at that moment. They may where, since the server
     * was asked for the page, nothing was changed or read through this mount, no write is on its way, and less time has
     * passed than the mount's {@code actimeo}; with {@code noac} they never may.
     */
    BooleanSupplier freshness();

    /** A listing of entries whose age nobody knows. */
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
