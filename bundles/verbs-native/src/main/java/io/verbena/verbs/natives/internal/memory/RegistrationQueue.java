package io.verbena.verbs.natives.internal.memory;

import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/** The send queue, as far as the registration of memory needs it: windows are bound by work requests. Any thread. */
public interface RegistrationQueue {
    /** @throws RdmaException DISCONNECTED while the connection does not stand */
    void checkOpen() throws RdmaException;

    /**
     * Binds a window. A request that is posted after it finds the window bound.
     *
     * @param more whether a post follows soon: the bind is then handed over together with it
     * @throws RdmaException DISCONNECTED while the connection does not stand
     */
    void bind(MemoryWindows.Window window, int rkey, long mr, long address, long length, int access, boolean more)
            throws RdmaException;

    /**
     * Waits until the window's last bind is complete, or the connection has ended: a device may fail on a bind of a
     * window that is deallocated.
     */
    void awaitBind(MemoryWindows.Window window) throws RdmaException;

    /**
     * Posts an RDMA Read.
     *
     * @param sink a registration that lives until the read is complete, or 0; the caller frees it if this throws
     * @param data where observers find what was read; null where nobody observes
     */
    void read(
            long id,
            long address,
            int length,
            int lkey,
            int remoteTag,
            long remoteOffset,
            int flags,
            long sink,
            ByteBuffer data)
            throws RdmaException;

    /** Hands over the chain of posts with the flag MORE: the next post was refused. */
    void handOver();
}
