package io.verbena.nfs;

import java.io.Closeable;
import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;

/** A byte-range lock that this client holds. */
@ProviderType
public interface RemoteLock extends Closeable {
    long position();

    /** In octets; {@link Long#MAX_VALUE} reaches to the end of the file. */
    long size();

    boolean isShared();

    /**
     * Releases the lock; without effect the second time and once the file is closed.
     *
     * @throws MountReplacedException where the mount was replaced: it has released the lock before, and others may have
     *     had it since
     */
    @Override
    void close() throws IOException;
}
