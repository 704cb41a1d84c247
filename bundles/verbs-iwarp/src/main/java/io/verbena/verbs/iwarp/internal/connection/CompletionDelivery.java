package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.stream.DdpSegmentReceiver;
import io.verbena.verbs.iwarp.internal.stream.ReceiveRing;
import io.verbena.verbs.iwarp.internal.stream.Transmitter;
import io.verbena.verbs.iwarp.internal.stream.WorkRequest;

/**
 * Delivers completions to a connection's handler, in batches. Only the receive thread calls this, except for {@link
 * #holdSends}.
 */
final class CompletionDelivery {
    /** The most completions in one call of the handler. */
    private static final int BATCH = 64;

    private final ConnectionHandler handler;
    private final ReceiveRing receives;
    private final Completion[] received = completions();
    private final Completion[] sent = completions();
    private int receivedCount;
    private volatile boolean held;

    CompletionDelivery(ConnectionHandler handler, ReceiveRing receives) {
        this.handler = handler;
        this.receives = receives;
    }

    private static Completion[] completions() {
        Completion[] batch = new Completion[BATCH];
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new Completion();
        }
        return batch;
    }

    /**
     * Delivers no more completions of sends until the end. Any thread. A handler that posts anew for each completion
     * would keep a closed connection from ending.
     */
    void holdSends() {
        held = true;
    }

    /**
     * The next completion of a received message, for the caller to fill. Delivers earlier ones first where there is no
     * room.
     */
    Completion nextReceived() {
        if (receivedCount == BATCH) {
            deliverReceived();
        }
        return received[receivedCount++];
    }

    /** Delivers all completions; returns false where there were none. */
    boolean deliver(Transmitter transmitter) {
        boolean any = false;
        while (!held) {
            int n = transmitter.drain(sent);
            if (n == 0) {
                break;
            }
            handler.onCompletions(sent, n);
            any = true;
        }
        if (receivedCount > 0) {
            deliverReceived();
            any = true;
        }
        return any;
    }

    private void deliverReceived() {
        int n = receivedCount;
        receivedCount = 0;
        handler.onCompletions(received, n);
    }

    /** Completes all requests that are left, and calls {@code onDisconnected}. */
    void deliverEnd(Transmitter transmitter, DdpSegmentReceiver segments, RdmaException cause) {
        try {
            if (receivedCount > 0) {
                deliverReceived();
            }
            WorkRequest refused = segments.refusedRead();
            for (int n = transmitter.drainAll(sent, refused); n > 0; n = transmitter.drainAll(sent, refused)) {
                handler.onCompletions(sent, n);
            }
        } catch (Throwable e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
        deliverEnd(segments.headReceiveStatus(), cause);
    }

    /** Completes the receives that are left, the oldest with {@code first}, and calls {@code onDisconnected}. */
    void deliverEnd(Completion.Status first, RdmaException cause) {
        receives.close();
        try {
            int n = receives.drainAll(received, first);
            while (n > 0) {
                handler.onCompletions(received, n);
                n = receives.drainAll(received, Completion.Status.FLUSHED);
            }
        } catch (Throwable e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
        try {
            handler.onDisconnected(cause);
        } catch (Throwable e) {
            Log.LOGGER.error("a connection handler failed in onDisconnected", e);
        }
    }
}
