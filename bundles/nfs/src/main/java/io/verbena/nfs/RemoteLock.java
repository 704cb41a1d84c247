package io.verbena.nfs;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/** A byte-range lock that this client holds. */
@ProviderType
public interface RemoteLock extends Closeable {
    long position();

    /** In octets; {@link Long#MAX_VALUE} reaches to the end of the file. */
    long size();

    boolean isShared();

    /** Whether it is held, as far as this client knows: not released, not lost, and the file and its mount in use. */
    boolean isValid();

    /**
     * Has the holder told when the lock is lost without a release: the server revoked it, or did not give it back after
     * a restart. The file's later operations fail with the same.
     *
     * @param action called once with the reason, at once where the lock was lost before; on any thread, which it must not
     *     block
     */
    void onLost(Consumer<IOException> action);

    /**
     * Releases the lock; without effect the second time and once the file is closed.
     *
     * @throws MountReplacedException where the mount was replaced: it has released the lock before, and others may have
     *     had it since
     */
    @Override
    void close() throws IOException;
}
