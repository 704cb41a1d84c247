package io.verbena.rpc;

import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/** The connection on which a request came. All requests of one connection have the same object. */
@ProviderType
public interface RpcPeer {
    /** A number that is unique among the connections of this transport. */
    long connectionId();

    SocketAddress remoteAddress();

    /**
     * Calls a program of the peer on this connection, in the reverse direction (RFC 8167). Callers use it after the
     * peer has said that it is ready for such calls (section 6). Never blocks; a call without a credit waits in a
     * queue.
     *
     * <p>The future completes as that of {@link RpcConnection#call} does, on the connection's receive thread. Nothing
     * is sent twice: when the connection ends, {@link RpcProgram#disconnected} is called, then what is outstanding
     * fails with a {@link TransportLostException}, and whether it is made again by another connection of the same peer
     * is the caller's business (section 5.4). So does a call on the end that connected: there calls go by
     * {@link RpcConnection#call}.
     */
    <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder);

    /** Ends the connection, for example because the peer cannot be trusted. Returns at once. */
    void disconnect();
}
