package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.TransportLostException;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** The other end of one RDMA connection, as programs see it. */
final class Peer implements RpcPeer {
    private final Connection connection;
    private final SocketAddress address;

    Peer(Connection connection, SocketAddress address) {
        this.connection = connection;
        this.address = address;
    }

    @Override
    public long connectionId() {
        return connection.id();
    }

    @Override
    public SocketAddress remoteAddress() {
        return address;
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        return CompletableFuture.failedFuture(
                new TransportLostException("no calls in the reverse direction on the connection to " + address, null));
    }

    @Override
    public void disconnect() {
        connection.end(new PeerProtocolException("the program gave up on " + address, null));
    }
}
