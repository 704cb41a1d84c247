package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.Framing;
import java.util.concurrent.CountDownLatch;

/**
 * One replacement of a client's connection: its drain, and what is told of it when the next connection stands. It forgets
 * the connection as soon as that is gone, and with it the services that it was made of.
 */
final class Swap {
    private final String reason;
    private final int oldVersion;
    private final long begun = System.nanoTime();
    private final CountDownLatch left = new CountDownLatch(1);
    private volatile Connection leaving;
    private volatile long drained = begun;

    Swap(Connection leaving, String reason) {
        this.leaving = leaving;
        this.reason = reason;
        this.oldVersion = version(leaving);
    }

    private static int version(Connection connection) {
        Framing framing = connection.framing();
        return framing == null ? 0 : framing.version();
    }

    boolean isOf(Connection connection) {
        return leaving == connection;
    }

    /**
     * Waits for what is under way in both directions, then ends the connection; when this returns nothing of it is left.
     *
     * @param deadline waits no longer than that, on the clock of {@link System#nanoTime}
     */
    void run(Requester requester, long deadline) {
        Connection connection = leaving;
        try {
            drain(connection, requester, deadline);
            drained = System.nanoTime();
            connection.close();
        } finally {
            leaving = null;
            left.countDown();
        }
    }

    /** Sends no more calls on a connection, and waits a while for what is under way in both directions. */
    static void drain(Connection connection, Requester requester, long deadline) {
        Responder reverse = connection.responder();
        reverse.awaitIdle(deadline); // while there still are forward calls, which it may take to answer
        requester.drain(connection, deadline);
        reverse.awaitIdle(deadline);
    }

    /** Waits until somebody else's {@link #run} is over. */
    void await() {
        try {
            left.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What is told, now that another connection stands.
     *
     * @param replayed the calls that are sent again
     */
    SwapRecord record(long id, String remote, Connection fresh, int replayed) {
        long pause = System.nanoTime() - drained;
        return new SwapRecord(id, true, remote, reason, drained - begun, pause, replayed, oldVersion, version(fresh));
    }
}
