package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;

/** Calls a connection's handler, with completions in batches. The receive thread's own, but for {@link #hold}. */
final class HandlerCalls {
    /** Completions told at once at most. */
    private static final int BATCH = 64;

    private final ConnectionHandler handler;
    private final ReceiveQueue receives;
    private final Completion[] received = completions();
    private final Completion[] sent = completions();
    private int receivedCount;
    private volatile boolean held;

    HandlerCalls(ConnectionHandler handler, ReceiveQueue receives) {
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

    /** Tells of no more sends before the end; any thread. A handler that posts for each would never let it come. */
    void hold() {
        held = true;
    }

    /** The next completion of a received message, to be filled; tells of earlier ones first where there is no room. */
    Completion nextReceived() {
        if (receivedCount == BATCH) {
            tellReceived();
        }
        return received[receivedCount++];
    }

    /** Tells what is complete; false when nothing is. */
    boolean tell(Transmitter transmitter) {
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
            tellReceived();
            any = true;
        }
        return any;
    }

    private void tellReceived() {
        int n = receivedCount;
        receivedCount = 0;
        handler.onCompletions(received, n);
    }

    /** Completes all that is left, and tells of the end. */
    void tellEnd(Transmitter transmitter, Inbound inbound, RdmaException cause) {
        try {
            if (receivedCount > 0) {
                tellReceived();
            }
            WorkRequest refused = inbound.refusedRead();
            for (int n = transmitter.drainAll(sent, refused); n > 0; n = transmitter.drainAll(sent, refused)) {
                handler.onCompletions(sent, n);
            }
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
        tellEnd(inbound.headReceiveStatus(), cause);
    }

    /** Completes the receives that are left, the oldest with {@code first}, and tells of the end. */
    void tellEnd(Completion.Status first, RdmaException cause) {
        receives.close();
        try {
            int n = receives.drainAll(received, first);
            while (n > 0) {
                handler.onCompletions(received, n);
                n = receives.drainAll(received, Completion.Status.FLUSHED);
            }
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed at the end of its connection", e);
        }
        try {
            handler.onDisconnected(cause);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed in onDisconnected", e);
        }
    }
}
