package io.verbena.rpc;

import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/** The connection that a request came by; the same object for each request of one connection. */
@ProviderType
public interface RpcPeer {
    /** A number that no other connection of this transport has had. */
    long connectionId();

    SocketAddress remoteAddress();

    /**
     * Calls a program of the peer's by this connection, in the reverse direction (RFC 8167). To be used once the peer
     * has said that it is ready for such calls (section 6). Never blocks; what has no credit waits its turn.
     *
     * <p>The future completes as that of {@link RpcConnection#call} does, on the connection's receive thread. Nothing is
     * sent twice: when the connection ends, {@link RpcProgram#disconnected} is called, then what is outstanding fails
     * with a {@link TransportLostException}, and whether it is made again by another connection of the same peer is the
     * caller's business (section 5.4). So does a call on the end that connected: there calls go by
     * {@link RpcConnection#call}.
     */
    <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder);

    /** Ends the connection, as for a peer beyond trust; returns at once. */
    void disconnect();
}
