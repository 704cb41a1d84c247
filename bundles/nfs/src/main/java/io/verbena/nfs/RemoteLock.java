package io.verbena.nfs;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/** A byte-range lock that this client holds. */
@ProviderType
public interface RemoteLock extends Closeable {
    long position();

    /** The size in octets; {@link Long#MAX_VALUE} reaches to the end of the file. */
    long size();

    boolean isShared();

    /**
     * Whether the lock is held, as far as this client knows: neither released nor lost, with the file and its mount in
     * use.
     */
    boolean isValid();

    /**
     * Registers an action that is called when the lock is lost without a release: the server has revoked it, or has not
     * granted it again after a restart. Later operations of the file fail with the same exception, which is an {@link
     * NfsException} of status {@code NFS4ERR_RECLAIM_CONFLICT}.
     *
     * @param action called once with the reason; at once if the lock is lost already; on any thread, which it must not
     *     block
     */
    void onLost(Consumer<IOException> action);

    /**
     * Releases the lock. Has no effect the second time, or once the file is closed.
     *
     * @throws MountReplacedException if the mount was replaced: the mount has released the lock, and another client may
     *     have held it since
     */
    @Override
    void close() throws IOException;
}
