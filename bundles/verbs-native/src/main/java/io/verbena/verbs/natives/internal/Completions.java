package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;

/**
 * Takes a connection's completions off the device and tells its handler of them: two steps, so that a handler that
 * waits for one can have others taken meanwhile, which are told later and in order. Any thread may take, while the
 * completion queue is there for sure; only the receive thread tells.
 */
final class Completions {
    private static final int TAKEN_AT_ONCE = 16;
    private static final int TOLD_AT_ONCE = 64;

    private final Ibverbs verbs;
    private final long cq;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Regions regions;
    private final ConnectionHandler handler;
    private final int invalidationFlags;
    private final WorkCompletions taken = new WorkCompletions(TAKEN_AT_ONCE);
    private final Completion[] told = new Completion[TOLD_AT_ONCE];
    private volatile RdmaException failure;
    private volatile boolean flushed;

    /** @param invalidationFlags of which a receive has one whose message has invalidated a tag */
    Completions(
            Ibverbs verbs,
            long cq,
            SendQueue sends,
            ReceiveQueue receives,
            Regions regions,
            ConnectionHandler handler,
            int invalidationFlags) {
        this.verbs = verbs;
        this.cq = cq;
        this.sends = sends;
        this.receives = receives;
        this.regions = regions;
        this.handler = handler;
        this.invalidationFlags = invalidationFlags;
        for (int i = 0; i < told.length; i++) {
            told[i] = new Completion();
        }
    }

    /** Takes a batch; returns how many there were. */
    synchronized int take() {
        int n = verbs.pollCq(cq, TAKEN_AT_ONCE, taken.address());
        if (n < 0) {
            fail(new RdmaException(RdmaException.Kind.RESOURCES, "ibv_poll_cq failed with " + n));
            return 0;
        }
        for (int i = 0; i < n; i++) {
            take(i);
        }
        return n;
    }

    private void take(int index) {
        long id = taken.id(index);
        int status = taken.status(index);
        boolean receive = ReceiveQueue.isReceive(id);
        if (status == Layout.IBV_WC_WR_FLUSH_ERR) {
            flushed = true;
        } else if (status != Layout.IBV_WC_SUCCESS) {
            fail(Failures.failed(verbs.statusName(status), status, taken.vendorError(index)));
        }
        if (!receive) {
            sends.complete(id, Failures.statusOf(status, false));
            return;
        }
        if (status == Layout.IBV_WC_SUCCESS && (taken.flags(index) & invalidationFlags) != 0) {
            int tag = taken.invalidatedRkey(index);
            regions.invalidatedByPeer(tag);
            receives.invalidated(id, tag);
        }
        receives.complete(id, Failures.statusOf(status, true), taken.length(index));
    }

    private void fail(RdmaException e) {
        if (failure == null) {
            failure = e;
        }
    }

    /** The first failure of a work request, or null. */
    RdmaException failure() {
        return failure;
    }

    /** Whether requests were flushed: the queue pair has failed, whatever the reason. */
    boolean isFlushed() {
        return flushed;
    }

    /** Tells the handler of what is complete. */
    void tell() {
        for (int n = sends.drain(told, false); n > 0; n = sends.drain(told, false)) {
            handler.onCompletions(told, n);
        }
        for (int n = receives.drain(told, false); n > 0; n = receives.drain(told, false)) {
            handler.onCompletions(told, n);
        }
    }

    /** Completes all that is left, done or not, and tells of it, whatever the handler makes of it. */
    void tellRest() {
        for (int n = sends.drain(told, true); n > 0; n = sends.drain(told, true)) {
            tellLast(n);
        }
        for (int n = receives.drain(told, true); n > 0; n = receives.drain(told, true)) {
            tellLast(n);
        }
    }

    private void tellLast(int count) {
        try {
            handler.onCompletions(told, count);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
    }
}
