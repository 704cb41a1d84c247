package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.connection.ConnectionPeer;
import io.verbena.rpcrdma.dispatcher.internal.requester.ReverseCalls;
import io.verbena.verbs.Addresses;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** The peer of one RDMA connection, as programs see it. Programs may keep it for longer than the connection. */
public final class RdmaPeer implements ConnectionPeer {
    private final long connectionId;
    private final InetSocketAddress address;
    private final ReverseCalls calls;
    private volatile Connection connection;

    private RdmaPeer(Connection connection, InetSocketAddress address, ReverseCalls calls) {
        this.connectionId = connection.id();
        this.address = address;
        this.calls = calls;
        this.connection = connection;
    }

    /** The peer of a connection that this end made: it is called by that connection in the forward direction only. */
    static RdmaPeer accepting(Connection connection, InetSocketAddress address) {
        return new RdmaPeer(connection, address, null);
    }

    /** The peer of a connection that was accepted here: it can be called in the reverse direction. */
    public static RdmaPeer connecting(Connection connection, InetSocketAddress address) {
        return new RdmaPeer(connection, address, new ReverseCalls(connection, Addresses.text(address)));
    }

    @Override
    public long connectionId() {
        return connectionId;
    }

    @Override
    public SocketAddress remoteAddress() {
        return address;
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        if (calls == null) {
            return CompletableFuture.failedFuture(new TransportLostException(
                    "calls to " + Addresses.text(address)
                            + " go in the forward direction, by the connection that was made to it",
                    null));
        }
        return calls.call(call, decoder);
    }

    @Override
    public void ended(Exception cause) {
        connection = null;
        if (calls != null) {
            calls.end(cause);
        }
    }

    @Override
    public void disconnect() {
        Connection present = connection;
        if (present != null) {
            present.end(new PeerProtocolException("the program gave up on " + Addresses.text(address), null));
        }
    }
}
