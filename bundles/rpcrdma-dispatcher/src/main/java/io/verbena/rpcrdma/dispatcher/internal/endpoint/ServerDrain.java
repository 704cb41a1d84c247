package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.dispatcher.internal.connection.CallReceiver;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.requester.ConnectionCalls;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapRecord;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.Addresses;

/**
 * Ends an accepted connection without loss: no further call is taken, the calls that were taken are answered, and the
 * answers are sent before the connection ends. The peer connects again, and sends the calls again that it has no reply
 * to, which were never executed. Calls of this end in the reverse direction cannot be sent again, so that their replies
 * are waited for too.
 */
final class ServerDrain {
    private ServerDrain() {}

    /**
     * Ends the connection. When this returns, its threads and memory are released.
     *
     * @param deadline the latest end of the wait for answers, on the runtime's clock
     */
    static void run(Connection connection, long deadline) {
        drain(connection, deadline);
        connection.close();
    }

    /** As {@link #run(Connection, long)}, and tells the listeners of replacements. */
    static void run(Connection connection, String reason, long deadline) {
        Runtime runtime = connection.context().runtime();
        long begun = runtime.nanoTime();
        drain(connection, deadline);
        long drained = runtime.nanoTime() - begun;
        Framing framing = connection.framing();
        boolean stands = connection.isUsable(); // otherwise it has ended already, as when its peer is on this host
        connection.close();
        if (stands) {
            String remote = Addresses.text(connection.rdma().remoteAddress());
            int version = framing == null ? 0 : framing.version();
            connection.context().swaps().tell(SwapRecord.ofServer(connection.id(), remote, reason, drained, version));
        }
    }

    private static void drain(Connection connection, long deadline) {
        CallReceiver responder = connection.responder();
        if (responder == null) {
            return; // it does not stand yet
        }
        responder.leave();
        ConnectionCalls reverse = ConnectionCalls.of(connection);
        if (reverse != null) {
            reverse.requester().drain(connection, deadline);
        }
        responder.awaitIdle(deadline);
    }
}
