package io.verbena.nfs;

import org.osgi.annotation.versioning.ProviderType;

/** A mount that belongs to whoever had it made: see {@link MountFactory}. */
@ProviderType
public interface ClosableMount extends Mount, AutoCloseable {
    /** Unmounts: files still open are synced and closed, and session and client given up, all within a bound. */
    @Override
    void close();
}
