package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.TransportLostException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** The other end of one RDMA connection, as programs see it. They may keep it for longer than that is. */
final class Peer implements RpcPeer {
    private final long connectionId;
    private final InetSocketAddress address;
    private final ReverseCalls calls;
    private volatile Connection connection;

    private Peer(Connection connection, InetSocketAddress address, ReverseCalls calls) {
        this.connectionId = connection.id();
        this.address = address;
        this.calls = calls;
        this.connection = connection;
    }

    /** That of an end that connected. */
    static Peer accepting(Connection connection, InetSocketAddress address) {
        return new Peer(connection, address, null);
    }

    /** That of an end that was connected to: it can be called. */
    static Peer connecting(Connection connection, InetSocketAddress address) {
        return new Peer(connection, address, new ReverseCalls(connection, ConnectErrors.describe(address)));
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
                    "calls to " + ConnectErrors.describe(address)
                            + " go in the forward direction, by the connection that was made to it",
                    null));
        }
        return calls.call(call, decoder);
    }

    /** The connection has ended, and the program knows. */
    void ended(Exception cause) {
        connection = null;
        if (calls != null) {
            calls.end(cause);
        }
    }

    @Override
    public void disconnect() {
        Connection present = connection;
        if (present != null) {
            present.end(new PeerProtocolException("the program gave up on " + address, null));
        }
    }
}
