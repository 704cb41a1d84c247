package io.verbena.nfs41.server.internal.testing;

import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcPeer;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** A peer at an address, which is neither called nor disconnected. */
public record PeerAt(long connectionId, String address) implements RpcPeer {
    @Override
    public SocketAddress remoteAddress() {
        return new InetSocketAddress(address, 700);
    }

    @Override
    public <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void disconnect() {
        throw new UnsupportedOperationException();
    }
}
