package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.dispatcher.internal.base.Futures;
import io.verbena.rpcrdma.dispatcher.internal.connection.CallReceiver;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.requester.Requester;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapRecord;
import io.verbena.runtime.Runtime;
import java.util.concurrent.CompletableFuture;

/**
 * One replacement of the connection of a client: the drain, and the record for listeners when the next connection
 * stands. A swap drops its reference to the connection, and so to the services of the connection, as soon as the
 * connection has ended.
 */
final class ConnectionSwap {
    private final String reason;
    private final int oldVersion;
    private final Runtime runtime;
    private final long begun;
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private volatile Connection leaving;
    private volatile long drained;

    ConnectionSwap(Connection leaving, String reason) {
        this.leaving = leaving;
        this.reason = reason;
        this.oldVersion = version(leaving);
        runtime = leaving.context().runtime();
        begun = runtime.nanoTime();
        drained = begun;
    }

    private static int version(Connection connection) {
        Framing framing = connection.framing();
        return framing == null ? 0 : framing.version();
    }

    boolean isOf(Connection connection) {
        return leaving == connection;
    }

    /**
     * Waits for the calls under way in both directions, then ends the connection. When this returns, its threads and
     * memory are released.
     *
     * @param deadline the latest end of the wait, on the runtime's clock
     */
    void run(Requester requester, long deadline) {
        Connection connection = leaving;
        try {
            drain(connection, requester, deadline);
            drained = runtime.nanoTime();
            connection.close();
        } finally {
            leaving = null;
            left.complete(null);
        }
    }

    /** Sends no more calls by a connection, and waits for the calls under way in both directions. */
    static void drain(Connection connection, Requester requester, long deadline) {
        CallReceiver reverse = connection.responder();
        reverse.awaitIdle(deadline); // before the forward calls stop, which answering may need
        requester.drain(connection, deadline);
        reverse.awaitIdle(deadline);
    }

    /** Waits until the {@link #run} of another thread has ended, which its deadline bounds. */
    void await() {
        Futures.awaitEnd(runtime, left);
    }

    /**
     * The record of this swap, now that another connection stands.
     *
     * @param replayed the calls that are sent again
     */
    SwapRecord record(long id, String remote, Connection fresh, int replayed) {
        long pause = runtime.nanoTime() - drained;
        return new SwapRecord(id, true, remote, reason, drained - begun, pause, replayed, oldVersion, version(fresh));
    }
}
