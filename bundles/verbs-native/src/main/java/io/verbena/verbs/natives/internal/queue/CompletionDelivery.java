package io.verbena.verbs.natives.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.memory.RegionTable;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.WorkCompletions;

/**
 * Polls a connection's completions from the device, and delivers them to its handler. These are two steps: while a
 * handler waits for one completion, other threads can poll others, which are delivered later and in order. Any thread
 * may poll at any time; only the receive thread delivers.
 */
public final class CompletionDelivery {
    private static final int POLLED_AT_ONCE = 16;
    /** More than any send queue was long before the receive; others may post and complete meanwhile. */
    private static final int MOST_POLLS = 4096;

    private static final int DELIVERED_AT_ONCE = 64;

    private final Ibverbs verbs;
    private final long sendCq;
    private final long receiveCq;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RegionTable regions;
    private final ConnectionHandler handler;
    private final int invalidationFlags;

    @GuardedBy("this")
    private final WorkCompletions polled = new WorkCompletions(POLLED_AT_ONCE);

    /** Whether the completion queues may be gone. */
    @GuardedBy("this")
    private boolean closed;

    private final Completion[] batch = new Completion[DELIVERED_AT_ONCE];
    private volatile RdmaException failure;
    private volatile boolean flushed;

    /** @param invalidationFlags a receive has one of them if its message has invalidated a tag */
    public CompletionDelivery(
            Ibverbs verbs,
            long sendCq,
            long receiveCq,
            SendQueue sends,
            ReceiveQueue receives,
            RegionTable regions,
            ConnectionHandler handler,
            int invalidationFlags) {
        this.verbs = verbs;
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        this.sends = sends;
        this.receives = receives;
        this.regions = regions;
        this.handler = handler;
        this.invalidationFlags = invalidationFlags;
        for (int i = 0; i < batch.length; i++) {
            batch[i] = new Completion();
        }
    }

    /**
     * Polls a batch of completions; returns their number. Receives are polled first, and then all sends: those that
     * were complete before a receive are known then, and are delivered before it.
     */
    public synchronized int poll() {
        if (closed) {
            return 0;
        }
        int received = poll(receiveCq);
        int sent = poll(sendCq);
        int all = received + sent;
        for (int more = 0; received > 0 && sent == POLLED_AT_ONCE && more < MOST_POLLS; more++) {
            sent = poll(sendCq);
            all += sent;
        }
        return all;
    }

    /** Polls no more. When this returns, no thread uses the completion queues, and they can be destroyed. */
    public synchronized void close() {
        closed = true;
    }

    @GuardedBy("this")
    private int poll(long cq) {
        int n = verbs.pollCq(cq, POLLED_AT_ONCE, polled.address());
        if (n < 0) {
            fail(new RdmaException(RdmaException.Kind.RESOURCES, "ibv_poll_cq failed with " + n));
            return 0;
        }
        for (int i = 0; i < n; i++) {
            complete(i);
        }
        return n;
    }

    @GuardedBy("this")
    private void complete(int index) {
        long id = polled.id(index);
        int status = polled.status(index);
        boolean receive = ReceiveQueue.isReceive(id);
        if (status == NativeConstants.IBV_WC_WR_FLUSH_ERR) {
            flushed = true;
        } else if (status != NativeConstants.IBV_WC_SUCCESS) {
            fail(Failures.failed(verbs.statusName(status), status, polled.vendorError(index)));
        }
        if (!receive) {
            sends.complete(id, Failures.statusOf(status, false));
            return;
        }
        if (status == NativeConstants.IBV_WC_SUCCESS && (polled.flags(index) & invalidationFlags) != 0) {
            int tag = polled.invalidatedRkey(index);
            regions.invalidatedByPeer(tag);
            receives.invalidated(id, tag);
        }
        receives.complete(id, Failures.statusOf(status, true), polled.length(index));
    }

    private void fail(RdmaException e) {
        if (failure == null) {
            failure = e;
        }
    }

    /** The first failure of a work request, or null. */
    public RdmaException failure() {
        return failure;
    }

    /** Whether requests were flushed: the queue pair has failed, for whatever reason. */
    public boolean isFlushed() {
        return flushed;
    }

    /** Delivers all completions that were polled. */
    public void deliver() {
        for (int n = sends.drain(batch, false); n > 0; n = sends.drain(batch, false)) {
            handler.onCompletions(batch, n);
        }
        for (int n = receives.drain(batch, false); n > 0; n = receives.drain(batch, false)) {
            handler.onCompletions(batch, n);
        }
    }

    /** Completes all requests that are left, done or not, and delivers them, even where the handler throws. */
    public void deliverRest() {
        for (int n = sends.drain(batch, true); n > 0; n = sends.drain(batch, true)) {
            deliverLast(n);
        }
        for (int n = receives.drain(batch, true); n > 0; n = receives.drain(batch, true)) {
            deliverLast(n);
        }
    }

    private void deliverLast(int count) {
        try {
            handler.onCompletions(batch, count);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
    }
}
