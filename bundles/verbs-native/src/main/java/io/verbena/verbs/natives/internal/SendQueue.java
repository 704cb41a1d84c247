package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The send queue. Posts are numbered from 0 on; a number is the device's id of the work request too. The device is
 * asked for a completion of the last post of a chain and of each read, and one completion stands for all before it,
 * but for reads: some devices complete a send behind a read before that read. What is done leaves from the oldest on,
 * so users learn of it in order whatever the device does.
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

    private static final long BIND_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long BIND_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Ibverbs verbs;
    private final long qp;
    private final int depth;
    private final int binds;
    private final int inlineOctets;
    private final Collector collector;
    private final Consumer<RdmaException> onFailure;
    private final SendRequests chain;

    private final ReentrantLock lock = new ReentrantLock();

    // guarded by lock; rings by number modulo depth
    private final long[] ids;
    private final Operation[] operations;
    private final boolean[] signaled;
    private final int[] lengths;
    private final long[] sinks;
    private final Status[] statuses;
    private long head;
    private long marked;
    private long tail;
    private long lastBind;
    private long bindsDone;
    private volatile boolean open;
    private volatile boolean closed;
    private boolean readsAllowed;

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
            Consumer<RdmaException> onFailure) {
        this.verbs = verbs;
        this.qp = qp;
        this.depth = depth;
        this.binds = binds;
        this.inlineOctets = inlineOctets;
        this.collector = collector;
        this.onFailure = onFailure;
        this.chain = chain;
        ids = new long[depth];
        operations = new Operation[depth];
        signaled = new boolean[depth];
        lengths = new int[depth];
        sinks = new long[depth];
        statuses = new Status[depth];
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
            if (open && !closed) {
                flush();
            }
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    void send(long id, long address, int length, int lkey, int flags) throws RdmaException {
        lock.lock();
        try {
            long number = begin(Operation.SEND);
            chain.send(number, sendFlags(flags, length), address, length, lkey);
            end(id, Operation.SEND, 0, 0, flags);
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
            end(id, Operation.SEND, 0, 0, flags);
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
            end(id, Operation.RDMA_WRITE, 0, 0, flags);
        } finally {
            lock.unlock();
        }
    }

    /** @param sink a registration that lives until the read is complete, or 0; of the caller's if this throws */
    void read(long id, long address, int length, int lkey, int remoteTag, long remoteOffset, int flags, long sink)
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
            end(id, Operation.RDMA_READ, length, sink, flags);
        } finally {
            lock.unlock();
        }
    }

    private long begin(Operation operation) throws RdmaException {
        checkOpen();
        if (operation == Operation.RDMA_READ && !readsAllowed) {
            flush();
            throw new RdmaException(Kind.RESOURCES, "the peer allows no reads");
        }
        if (tail - head == depth) {
            flush();
            throw new RdmaException(Kind.QUEUE_FULL, "the send queue is full");
        }
        return tail;
    }

    /** @throws RdmaException DISCONNECTED while the connection does not stand */
    void checkOpen() throws RdmaException {
        if (closed || !open) {
            throw new RdmaException(
                    Kind.DISCONNECTED, closed ? "the connection has ended" : "the connection is not connected");
        }
    }

    /**
     * A short message goes with the work request, and costs an adapter no read of memory: for Send and RDMA Write only,
     * says ibv_post_send(3), and siw holds to it for Send with Invalidate.
     */
    private int sendFlags(int flags, int length) {
        return deviceFlags(flags) | (length > 0 && length <= inlineOctets ? Layout.IBV_SEND_INLINE : 0);
    }

    private static int deviceFlags(int flags) {
        return (flags & RdmaConnection.SOLICITED) != 0 ? Layout.IBV_SEND_SOLICITED : 0;
    }

    private void end(long id, Operation operation, int length, long sink, int flags) {
        int slot = slot(tail);
        ids[slot] = id;
        operations[slot] = operation;
        signaled[slot] = (flags & RdmaConnection.UNSIGNALED) == 0;
        lengths[slot] = length;
        sinks[slot] = sink;
        statuses[slot] = null;
        tail++;
        // a full queue too: another post is promised, but there may be no place for it
        if ((flags & RdmaConnection.MORE) == 0 || tail - head == depth || chain.size() == chain.capacity()) {
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
        if (error != 0) {
            onFailure.accept(
                    new RdmaException(Kind.DISCONNECTED, "ibv_post_send failed with error number " + Math.abs(error)));
        }
        return error == 0;
    }

    /**
     * Binds a window. What is posted after it finds it bound.
     *
     * @throws RdmaException DISCONNECTED while the connection does not stand
     */
    void bind(Windows.Window window, int rkey, long mr, long address, long length, int access) throws RdmaException {
        lock.lock();
        try {
            while (lastBind - bindsDone >= binds) {
                awaitBind(lastBind - binds + 1);
            }
            checkOpen();
            flush();
            window.bind(++lastBind);
            chain.bind(BIND | tail, Layout.IBV_SEND_SIGNALED, window.handle(), rkey, mr, address, length, access);
            if (!flush()) {
                lastBind--;
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
                awaitBind(window.lastBind());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until so many binds are over; with the lock, which is let go of meanwhile. */
    private void awaitBind(long number) throws RdmaException {
        long deadline = System.nanoTime() + BIND_NANOS;
        while (bindsDone < number) {
            checkOpen();
            if (deadline - System.nanoTime() <= 0) {
                RdmaException e = new RdmaException(Kind.RESOURCES, "the device has not bound a window in time");
                onFailure.accept(e);
                throw e;
            }
            lock.unlock();
            try {
                // whoever waits takes completions: the handler may be waiting for this very thread
                if (!collector.collect()) {
                    LockSupport.parkNanos(BIND_PAUSE_NANOS);
                }
            } finally {
                lock.lock();
            }
        }
    }

    /** The device has completed a work request of this queue. */
    void complete(long deviceId, Status status) {
        lock.lock();
        try {
            if (isBind(deviceId)) {
                bindsDone++;
                markBefore(deviceId & ~BIND, status);
                return;
            }
            markBefore(deviceId, status);
            statuses[slot(deviceId)] = status;
        } finally {
            lock.unlock();
        }
    }

    /** What stands before a request that was flushed may have been done or not; before others it was. */
    private void markBefore(long number, Status status) {
        Status before = status == Status.FLUSHED ? Status.FLUSHED : Status.SUCCESS;
        for (marked = Math.max(marked, head); marked < number; marked++) {
            int slot = slot(marked);
            if (operations[slot] != Operation.RDMA_READ && statuses[slot] == null) {
                statuses[slot] = before;
            }
        }
    }

    /** Whether requests of the user's or binds are under way. */
    boolean isBusy() {
        lock.lock();
        try {
            for (long n = head; n < tail; n++) {
                if (statuses[slot(n)] == null) {
                    return true;
                }
            }
            return bindsDone < lastBind;
        } finally {
            lock.unlock();
        }
    }

    /** Moves completions into {@code target}, in order; returns how many. The receive thread. */
    int drain(Completion[] target, boolean all) {
        lock.lock();
        try {
            int n = 0;
            while (n < target.length && head < tail) {
                int slot = slot(head);
                Status status = statuses[slot];
                if (status == null) {
                    if (!all) {
                        break;
                    }
                    status = Status.FLUSHED;
                }
                if (sinks[slot] != 0) {
                    release(sinks[slot]);
                    sinks[slot] = 0;
                }
                if (signaled[slot] || status != Status.SUCCESS) {
                    target[n++].set(ids[slot], operations[slot], status, status == Status.SUCCESS ? lengths[slot] : 0);
                }
                head++;
            }
            return n;
        } finally {
            lock.unlock();
        }
    }

    private void release(long sink) {
        try {
            verbs.deregMr(sink);
        } catch (NativeException e) {
            Log.LOGGER.warn("deregistering the memory of a read failed", e);
        }
    }

    private int slot(long number) {
        return (int) (number % depth);
    }
}
