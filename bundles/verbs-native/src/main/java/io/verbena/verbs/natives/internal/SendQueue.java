package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The send queue. Posts are numbered from 0 on; a number is the device's id of the work request too. The device is
 * asked for a completion of the last post of a chain and of each read; see {@link PostedSends}. What is done leaves from
 * the oldest on, so users learn of it in order whatever the device does.
 *
 * <p>Windows' binds go through the same queue, in places of their own: they are no post of the user's and wait for
 * none of his completions.
 */
final class SendQueue {
    /** Takes completions off the device for whoever waits for one. */
    interface Collector {
        /** Any thread; false where there were none. */
        boolean collect();
    }

    /** Work requests that one call hands over. */
    private static final int CHAIN = 32;
    /** Marks the id of a bind; the rest is the number of the post before which it was posted. */
    private static final long BIND = 1L << 62;

    private final Ibverbs verbs;
    private final long qp;
    private final int inlineOctets;
    private final Consumer<RdmaException> onFailure;
    private final SendRequests chain;
    private final Traffic traffic;

    private final ReentrantLock lock = new ReentrantLock();

    // guarded by lock
    private final PostedSends posted;
    private final Binds binds;
    private boolean open;
    private boolean closed;
    private boolean readsAllowed;

    /** The device has not taken all of a chain: what came behind it would stand for what it has not done. */
    private boolean broken;

    /**
     * @param binds the most of them under way
     * @param inlineOctets the longest send that goes within its work request
     * @param onFailure told when a post that was accepted cannot be handed over: the connection is to end
     */
    SendQueue(
            Ibverbs verbs,
            long qp,
            int depth,
            int binds,
            int inlineOctets,
            SendRequests chain,
            Collector collector,
            Consumer<RdmaException> onFailure,
            Traffic traffic) {
        this.verbs = verbs;
        this.qp = qp;
        this.inlineOctets = inlineOctets;
        this.onFailure = onFailure;
        this.chain = chain;
        this.traffic = traffic;
        posted = new PostedSends(depth, this::deregister, traffic);
        this.binds = new Binds(lock, binds, collector, onFailure, this::checkOpen);
    }

    static int chainLength() {
        return CHAIN;
    }

    static boolean isBind(long id) {
        return (id & BIND) != 0;
    }

    /** The connection stands: posts may go out. */
    void open(int outboundReads) {
        lock.lock();
        try {
            open = true;
            readsAllowed = outboundReads > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Hands over what is collected, and takes no more. */
    void close() {
        lock.lock();
        try {
            flush();
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Hands over what is collected: the post that was to come behind it was refused before it came here. */
    void handOver() {
        lock.lock();
        try {
            flush();
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param address the device's for the first octet
     * @param own the address at which the processor has it: where the octets go within the work request, the library
     *     copies them from there
     */
    void send(long id, long address, long own, int length, int lkey, int flags) throws RdmaException {
        lock.lock();
        try {
            long number = begin(Operation.SEND);
            if (isInline(length)) {
                chain.send(number, deviceFlags(flags) | Layout.IBV_SEND_INLINE, own, length, lkey);
            } else {
                chain.send(number, deviceFlags(flags), address, length, lkey);
            }
            end(id, Operation.SEND, flags);
        } finally {
            lock.unlock();
        }
    }

    void sendWithInvalidate(long id, long address, int length, int lkey, int remoteTag, int flags)
            throws RdmaException {
        lock.lock();
        try {
            long number = begin(Operation.SEND);
            chain.sendWithInvalidate(number, deviceFlags(flags), address, length, lkey, remoteTag);
            end(id, Operation.SEND, flags);
        } finally {
            lock.unlock();
        }
    }

    void write(long id, long address, int length, int lkey, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        lock.lock();
        try {
            long number = begin(Operation.RDMA_WRITE);
            chain.write(number, deviceFlags(flags), address, length, lkey, remoteOffset, remoteTag);
            end(id, Operation.RDMA_WRITE, flags);
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param sink a registration that lives until the read is complete, or 0; of the caller's if this throws
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
            throws RdmaException {
        lock.lock();
        try {
            long number = begin(Operation.RDMA_READ);
            chain.read(
                    number,
                    deviceFlags(flags) | Layout.IBV_SEND_SIGNALED,
                    address,
                    length,
                    lkey,
                    remoteOffset,
                    remoteTag);
            if (data != null) {
                traffic.asked(number, remoteTag, remoteOffset, length);
            }
            posted.addRead(id, length, sink, data, flags);
            flushUnlessMore(flags);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has the next post be one of this thread, until {@link #release}.
     *
     * @throws RdmaException where it would be refused; nothing is held then
     */
    void hold(Operation operation) throws RdmaException {
        lock.lock();
        boolean accepted = false;
        try {
            begin(operation);
            accepted = true;
        } finally {
            if (!accepted) {
                lock.unlock();
            }
        }
    }

    /** Lets others post again. */
    void release() {
        lock.unlock();
    }

    private long begin(Operation operation) throws RdmaException {
        checkOpen();
        if (operation == Operation.RDMA_READ && !readsAllowed) {
            flush();
            throw new RdmaException(Kind.RESOURCES, "the peer allows no reads");
        }
        if (posted.isFull()) {
            flush();
            throw new RdmaException(Kind.QUEUE_FULL, "the send queue is full");
        }
        return posted.next();
    }

    /** @throws RdmaException DISCONNECTED while the connection does not stand */
    void checkOpen() throws RdmaException {
        lock.lock();
        try {
            if (closed || broken || !open) {
                throw new RdmaException(
                        Kind.DISCONNECTED,
                        closed || broken ? "the connection has ended" : "the connection is not connected");
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * A short message goes with the work request, and costs an adapter no read of memory: for Send and RDMA Write only,
     * says ibv_post_send(3), and siw holds to it for Send with Invalidate.
     */
    private boolean isInline(int length) {
        return length > 0 && length <= inlineOctets;
    }

    private static int deviceFlags(int flags) {
        return (flags & RdmaConnection.SOLICITED) != 0 ? Layout.IBV_SEND_SOLICITED : 0;
    }

    private void end(long id, Operation operation, int flags) {
        posted.add(id, operation, flags);
        flushUnlessMore(flags);
    }

    private void flushUnlessMore(int flags) {
        // a full queue too: another post is promised, but there may be no place for it
        if ((flags & RdmaConnection.MORE) == 0 || posted.isFull() || chain.size() == chain.capacity()) {
            flush();
        }
    }

    /** @return whether the device has taken all */
    private boolean flush() {
        if (chain.size() == 0) {
            return true;
        }
        chain.signalLast();
        int error = verbs.postSend(qp, chain.first(), chain.badRequest());
        chain.clear();
        if (error == 0) {
            posted.handedOver();
            return true;
        }
        broken = true;
        onFailure.accept(
                new RdmaException(Kind.DISCONNECTED, "ibv_post_send failed with error number " + Math.abs(error)));
        return false;
    }

    /**
     * Binds a window. What is posted after it finds it bound.
     *
     * @throws RdmaException DISCONNECTED while the connection does not stand
     */
    void bind(Windows.Window window, int rkey, long mr, long address, long length, int access) throws RdmaException {
        lock.lock();
        try {
            binds.awaitPlace();
            checkOpen();
            flush();
            checkOpen();
            window.bind(binds.next());
            chain.bind(
                    BIND | posted.next(), Layout.IBV_SEND_SIGNALED, window.handle(), rkey, mr, address, length, access);
            if (!flush()) {
                binds.takeBack();
                throw new RdmaException(Kind.DISCONNECTED, "the device has refused to bind a window");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the window's last bind is over, or the connection: a device may stumble over one that is gone. */
    void awaitBind(Windows.Window window) throws RdmaException {
        lock.lock();
        try {
            if (!closed) {
                binds.await(window.lastBind());
            }
        } finally {
            lock.unlock();
        }
    }

    /** The device has completed a work request of this queue. */
    void complete(long deviceId, Status status) {
        lock.lock();
        try {
            if (isBind(deviceId)) {
                binds.complete();
                posted.completeBefore(deviceId & ~BIND, status);
            } else {
                posted.complete(deviceId, status);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether requests of the user's or binds are under way. */
    boolean isBusy() {
        lock.lock();
        try {
            return posted.isBusy() || binds.isBusy();
        } finally {
            lock.unlock();
        }
    }

    /** Moves completions into {@code target}, in order; returns how many. The receive thread. */
    int drain(Completion[] target, boolean all) {
        lock.lock();
        try {
            return posted.drain(target, all);
        } finally {
            lock.unlock();
        }
    }

    private void deregister(long sink) {
        try {
            verbs.deregMr(sink);
        } catch (NativeException e) {
            Log.LOGGER.warn("deregistering the memory of a read failed", e);
        }
    }
}
