package io.verbena.nfs;

import org.osgi.annotation.versioning.ProviderType;

/** A mount that belongs to the caller that had it made by a {@link MountFactory}. */
@ProviderType
public interface ClosableMount extends Mount, AutoCloseable {
    /**
     * Unmounts: syncs and closes the files that are still open, and gives up the session and the client. All of this
     * takes a bounded time.
     */
    @Override
    void close();
}
