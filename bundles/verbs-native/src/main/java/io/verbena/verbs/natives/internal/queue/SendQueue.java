package io.verbena.verbs.natives.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.Completion.Status;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.memory.MemoryWindows;
import io.verbena.verbs.natives.internal.memory.RegistrationQueue;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.SendRequests;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The send queue. Posts are numbered from 0 on; the number is also the work request id for the device. The device is
 * asked for a completion of the last post of a chain and of each read; see {@link PostedSends}. Completions leave the
 * queue from the oldest on, so users get them in order, in whatever order the device completes. Any thread.
 *
 * <p>Binds of windows go through the same queue, in places of their own: they are not posts of the user, and wait for
 * no completion of his posts. A bind may be handed over together with the next post.
 *
 * <p>The completion queue causes an event only where someone awaits a completion: most sends are of interest to nobody
 * before their answers, and would wake the receive thread twice for each call.
 */
public final class SendQueue implements RegistrationQueue {
    /** Polls completions from the device for a thread that waits for one. */
    public interface CompletionPoller {
        /** Polls once; returns false where there were no completions. Any thread. */
        boolean pollCompletions();
    }

    /** The most work requests that one call hands over. */
    private static final int CHAIN = 32;
    /** Marks the work request id of a bind; the other bits are the number of the post before which it was posted. */
    private static final long BIND = 1L << 62;

    private final Ibverbs verbs;
    private final long qp;
    private final long cq;
    private final CompletionPoller poller;
    private final int inlineOctets;
    private final Consumer<RdmaException> onFailure;

    @GuardedBy("lock")
    private final SendRequests chain;

    private final ConnectionTap tap;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final PostedSends posted;

    @GuardedBy("lock")
    private final PendingBinds binds;

    /** The windows that are bound by the chain. */
    @GuardedBy("lock")
    private final List<MemoryWindows.Window> bound = new ArrayList<>();

    @GuardedBy("lock")
    private boolean open;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private boolean readsAllowed;

    /** Whether the next completion causes an event. */
    @GuardedBy("lock")
    private boolean armed;

    /** Whether the device has refused part of a chain. A later completion would wrongly cover the refused posts. */
    @GuardedBy("lock")
    private boolean broken;

    /**
     * @param cq the completion queue of this queue alone
     * @param binds the most binds under way
     * @param inlineOctets the longest send that goes within its work request
     * @param onFailure called when an accepted post cannot be handed over: the connection then ends
     */
    public SendQueue(
            Ibverbs verbs,
            long qp,
            long cq,
            int depth,
            int binds,
            int inlineOctets,
            SendRequests chain,
            CompletionPoller poller,
            Consumer<RdmaException> onFailure,
            ConnectionTap tap) {
        this.verbs = verbs;
        this.qp = qp;
        this.cq = cq;
        this.poller = poller;
        this.inlineOctets = inlineOctets;
        this.onFailure = onFailure;
        this.chain = chain;
        this.tap = tap;
        posted = new PostedSends(depth, this::deregister, tap);
        this.binds = new PendingBinds(lock, binds, poller, onFailure, this::handOverBinds);
    }

    public static int chainLength() {
        return CHAIN;
    }

    static boolean isBind(long id) {
        return (id & BIND) != 0;
    }

    /** Allows posts: the connection is established. */
    public void open(int outboundReads) {
        lock.lock();
        try {
            open = true;
            readsAllowed = outboundReads > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Hands over the chain, and refuses posts from now on. */
    public void close() {
        lock.lock();
        try {
            flush();
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void handOver() {
        lock.lock();
        try {
            flush();
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param address the address of the first octet for the device
     * @param own the address of the first octet in this process, from which the library copies the octets of an inline
     *     send
     */
    public void send(long id, long address, long own, int length, int lkey, int flags) throws RdmaException {
        lock.lock();
        try {
            long number = begin(Operation.SEND);
            if (isInline(length)) {
                chain.send(number, deviceFlags(flags) | NativeConstants.IBV_SEND_INLINE, own, length, lkey);
            } else {
                chain.send(number, deviceFlags(flags), address, length, lkey);
            }
            end(id, Operation.SEND, flags);
        } finally {
            lock.unlock();
        }
    }

    public void sendWithInvalidate(long id, long address, int length, int lkey, int remoteTag, int flags)
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

    public void write(long id, long address, int length, int lkey, int remoteTag, long remoteOffset, int flags)
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

    @Override
    public void read(
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
                    deviceFlags(flags) | NativeConstants.IBV_SEND_SIGNALED,
                    address,
                    length,
                    lkey,
                    remoteOffset,
                    remoteTag);
            if (data != null) {
                tap.readPosted(number, remoteTag, remoteOffset, length);
            }
            posted.addRead(id, length, sink, data, flags);
            flushUnlessMore(flags);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps other threads from posting, until {@link #release}.
     *
     * @throws RdmaException where the post would be refused; the queue is then not held
     */
    public void hold(Operation operation) throws RdmaException {
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

    /** Allows other threads to post again. */
    public void release() {
        lock.unlock();
    }

    @GuardedBy("lock")
    private long begin(Operation operation) throws RdmaException {
        checkOpen();
        if (operation == Operation.RDMA_READ && !readsAllowed) {
            flush();
            throw new RdmaException(Kind.RESOURCES, "the peer allows no reads");
        }
        boolean polled = true;
        while (posted.isFull() && polled) {
            flush();
            polled = pollUnlocked();
            checkOpen();
        }
        if (posted.isFull()) {
            throw new RdmaException(Kind.QUEUE_FULL, "the send queue is full");
        }
        return posted.next();
    }

    @Override
    public void checkOpen() throws RdmaException {
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
     * Whether a message is sent inline, within the work request, which saves the adapter a read of memory.
     * ibv_post_send(3) allows that for Send and RDMA Write only, and siw refuses it for Send with Invalidate.
     */
    private boolean isInline(int length) {
        return length > 0 && length <= inlineOctets;
    }

    private static int deviceFlags(int flags) {
        return (flags & RdmaConnection.SOLICITED) != 0 ? NativeConstants.IBV_SEND_SOLICITED : 0;
    }

    @GuardedBy("lock")
    private void end(long id, Operation operation, int flags) {
        posted.add(id, operation, flags);
        flushUnlessMore(flags);
    }

    @GuardedBy("lock")
    private void flushUnlessMore(int flags) {
        // also where the queue is full: the promised next post may find no place
        if ((flags & RdmaConnection.MORE) == 0 || posted.isFull() || chain.size() == chain.capacity()) {
            flush();
        }
    }

    /** @return whether the device has taken all requests of the chain */
    @GuardedBy("lock")
    private boolean flush() {
        if (chain.size() == 0) {
            return true;
        }
        chain.signalLast();
        String call = "ibv_req_notify_cq";
        int error = armed || !posted.isAwaited() ? 0 : verbs.reqNotifyCq(cq);
        armed = armed || posted.isAwaited();
        if (error == 0) {
            call = "ibv_post_send";
            error = verbs.postSend(qp, chain.first(), chain.badRequest());
        }
        chain.clear();
        int windows = bound.size();
        bound.forEach(window -> verbs.setMwRkey(window.handle(), window.rkey()));
        bound.clear();
        if (error == 0) {
            posted.handedOver();
            return true;
        }
        binds.takeBack(windows);
        broken = true;
        onFailure.accept(new RdmaException(Kind.DISCONNECTED, call + " failed with error number " + Math.abs(error)));
        return false;
    }

    /**
     * Polls completions, which nobody may have done for long. Without the lock: a thread that polls holds another one,
     * and takes this one. The connection may end meanwhile.
     *
     * @return whether there were any
     */
    @GuardedBy("lock")
    private boolean pollUnlocked() {
        lock.unlock();
        try {
            return poller.pollCompletions();
        } finally {
            lock.lock();
        }
    }

    /**
     * Asks for an event at the next completion, where someone awaits one.
     *
     * @param all whether any completion is awaited
     * @return the error number, or 0
     */
    int arm(boolean all) {
        lock.lock();
        try {
            if (armed || !(all || posted.isAwaited())) {
                return 0;
            }
            armed = true;
            return verbs.reqNotifyCq(cq);
        } finally {
            lock.unlock();
        }
    }

    /** An event was taken: the next completion causes none. */
    void eventTaken() {
        lock.lock();
        try {
            armed = false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void bind(
            MemoryWindows.Window window, int rkey, long mr, long address, long length, int access, boolean more)
            throws RdmaException {
        lock.lock();
        try {
            if (binds.isFull() || chain.size() == chain.capacity()) {
                flush();
                checkOpen();
                binds.awaitPlace();
            }
            checkOpen();
            window.bind(binds.next(), rkey);
            bound.add(window);
            chain.bind(
                    BIND | posted.next(),
                    NativeConstants.IBV_SEND_SIGNALED,
                    window.handle(),
                    rkey,
                    mr,
                    address,
                    length,
                    access);
            if ((!more || chain.size() == chain.capacity()) && !flush()) {
                throw new RdmaException(Kind.DISCONNECTED, "the device has refused to bind a window");
            }
        } finally {
            lock.unlock();
        }
    }

    /** While a thread waits for a bind: hands over those of others, which may wait as well. */
    private void handOverBinds() throws RdmaException {
        handOver();
        checkOpen();
    }

    @Override
    public void awaitBind(MemoryWindows.Window window) throws RdmaException {
        lock.lock();
        try {
            if (!closed) {
                flush();
                binds.await(window.lastBind());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the device has completed a work request of this queue. */
    public void complete(long deviceId, Status status) {
        lock.lock();
        try {
            if (isBind(deviceId)) {
                binds.complete();
                posted.bound(deviceId & ~BIND, status);
            } else {
                posted.complete(deviceId, status);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether posts of the user or binds are under way. */
    public boolean isBusy() {
        lock.lock();
        try {
            return posted.isBusy() || binds.isBusy();
        } finally {
            lock.unlock();
        }
    }

    /** Moves completions into {@code target}, in order; returns their number. Only the receive thread calls this. */
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
