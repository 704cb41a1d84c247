package io.verbena.rpc;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A logical connection to the RPC programs of one peer. It outlives connections of the transport: the transport
 * re-establishes a lost connection, and retransmits calls without a reply with the same XID (RFC 8166 section 4.5.3).
 * Any thread may make calls, including the connection's own receive thread.
 */
@ProviderType
public interface RpcConnection extends AutoCloseable {
    /**
     * Sends a call without waiting for the reply. A call without a credit waits in a queue.
     *
     * <p>The connection's receive thread completes the future; a continuation without an executor must not block. The
     * future fails with an {@link RpcException} or with the decoder's exception. It never completes while the peer can
     * still reach the memory that the call sent or offered. {@code cancel} abandons the call, and completes the future
     * when the peer can no longer reach that memory.
     *
     * <p>An exception from this method means that nothing was sent. A failure after the call may have been sent fails
     * the future instead.
     *
     * @param call the call; the transport owns it until the future is complete
     * @param decoder reads the results
     */
    <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder);

    /**
     * The negotiated settings of the current connection, for people to read; a setting that is not known is absent.
     * Settings are {@code label} where the options have one, {@code provider} and {@code providerChoice} (the reason
     * for this provider; both stay from the first connection on), {@code device}, {@code version},
     * {@code versionChoice} (the reason for this version), {@code callThreshold}, {@code replyThreshold},
     * {@code remoteInvalidation}, {@code credits}, {@code reverseCredits}, {@code crc}, {@code local}, {@code remote}
     * and {@code reconnects}. Connections are replaced when a service below goes away and by {@link #reconnect}:
     * {@code swaps} counts the replacements, {@code replayed} the calls retransmitted after them, and {@code lastSwap}
     * tells which service went away, and how long the drain and the pause took.
     */
    Map<String, String> settings();

    /**
     * Tells how the current connection would transfer a call of these sizes. The same code decides for real calls.
     * Empty where there is no connection yet.
     */
    Optional<TransferSizes> explain(CallShape shape);

    /**
     * The choices that the options left to the transport, as transport options. A caller that replaces this connection
     * and wants the same choices adds them to {@link ConnectOptions#transport}. Empty where the transport had no
     * choice, or has not chosen yet.
     */
    Map<String, String> choice();

    /**
     * What the transport has found out about the server, such as versions that it speaks, as transport options. A
     * caller that replaces this connection adds them to {@link ConnectOptions#transport}, so that the next transport
     * knows as much. Empty where nothing is known.
     */
    default Map<String, String> learned() {
        return Map.of();
    }

    /**
     * Puts another connection in the place of the present one, made of what is there now: another version, another
     * build of a service. What is under way is waited for within a bound, and what is left without a reply then is sent
     * again; calls made meanwhile wait. Where there is no connection, one is made. Blocks until it stands.
     *
     * @throws RpcException where the connection cannot be established in time; the transport tries again when there is
     *     something to send
     */
    void reconnect(Duration timeout) throws RpcException;

    /**
     * Whether the connection can be used. False after {@link #close}, and after the transport has given up for good.
     */
    boolean isOpen();

    /** Fails outstanding calls, then frees all resources of the connection. Blocks until they are free. */
    @Override
    void close();
}
