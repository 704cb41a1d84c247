package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.Framing;

/**
 * The end of a connection that a peer made to us, in the order that costs nothing: no call is taken any more, those that
 * were taken are answered, and the answers are out before the connection ends. The peer connects again, and sends again
 * what it has no reply to: calls that were never executed. Calls of ours in the reverse direction are not sent again, so
 * that their replies are waited for too.
 */
final class Departure {
    private Departure() {}

    /**
     * Ends the connection; when this returns nothing of it is left.
     *
     * @param deadline waits no longer than that for answers, on the clock of {@link System#nanoTime}
     */
    static void run(Connection connection, long deadline) {
        drain(connection, deadline);
        connection.close();
    }

    /** As {@link #run}, and tells of it. */
    static void run(Connection connection, String reason, long deadline) {
        long begun = System.nanoTime();
        drain(connection, deadline);
        long drained = System.nanoTime() - begun;
        Framing framing = connection.framing();
        boolean stands = connection.isUsable(); // else it has gone by itself: its peer is of this host, say
        connection.close();
        if (stands) {
            String remote = ConnectErrors.describe(connection.rdma().remoteAddress());
            int version = framing == null ? 0 : framing.version();
            connection
                    .environment()
                    .swaps()
                    .tell(SwapRecord.ofServer(connection.id(), remote, reason, drained, version));
        }
    }

    private static void drain(Connection connection, long deadline) {
        Responder responder = connection.responder();
        if (responder == null) {
            return; // it does not stand yet
        }
        responder.leave();
        Requester reverse = connection.requester();
        if (reverse != null) {
            reverse.drain(connection, deadline);
        }
        responder.awaitIdle(deadline);
    }
}
