package io.verbena.rpc;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A way to one peer's RPC programs that outlives the transport's connections: a lost connection is made again, and
 * calls without a reply are sent again with the same XID (RFC 8166 section 4.5.3). Calls may be made from any thread,
 * the connection's own included.
 */
@ProviderType
public interface RpcConnection extends AutoCloseable {
    /**
     * Sends a call. Never blocks for a reply; a call that finds no credit waits its turn in a queue.
     *
     * <p>The future completes on the connection's receive thread: what is chained to it without an executor must not
     * block. It completes with an {@link RpcException} or what the decoder threw, and in no case before the memory
     * that the call offered or sent is out of the peer's reach. {@code cancel} gives the call up and completes the
     * future when that is so.
     *
     * @param call what to send; it is the transport's until the future is complete
     * @param decoder reads the results
     */
    <T> CompletableFuture<T> call(RpcCall call, ReplyDecoder<T> decoder);

    /**
     * What was negotiated on the present connection, for people to read: {@code label} where one was given,
     * {@code provider}, {@code providerChoice} (why it is that one; both are kept, and told, from the first connection
     * on), {@code device}, {@code version}, {@code versionChoice} (why it is that one), {@code callThreshold},
     * {@code replyThreshold}, {@code remoteInvalidation}, {@code credits}, {@code reverseCredits}, {@code crc},
     * {@code local}, {@code remote}, {@code reconnects}, and of replacements (because a service below went, or
     * {@link #reconnect} was called): {@code swaps} (how many), {@code replayed} (calls sent again after them) and
     * {@code lastSwap} (what went, how long the drain and the pause were); absent where not known.
     */
    Map<String, String> settings();

    /**
     * How a call of these sizes would travel by the present connection, as the code tells that decides it. What is not
     * known before there is a connection is not told: empty then.
     */
    Optional<TransferPlan> explain(CallShape shape);

    /**
     * What the transport has chosen of what was left to it, as transport options of its own: who connects in place of
     * this connection and wants the same again adds them to {@link ConnectOptions#transport}. Empty where nothing was
     * left to it, or nothing is chosen yet.
     */
    Map<String, String> choice();

    /**
     * Puts another connection in the place of the present one, made of what is there now: another version, another build
     * of a service. What is under way is waited for within a bound, and what is left without a reply then is sent again;
     * calls made meanwhile wait. Where there is no connection, one is made. Blocks until it stands.
     *
     * @throws RpcException where it cannot be made in time; it is tried again when there is something to send
     */
    void reconnect(Duration timeout) throws RpcException;

    /** False once {@link #close} was called or the connection is given up for good. */
    boolean isOpen();

    /** Fails the calls that are outstanding, then frees all that the connection holds. Blocks until that is so. */
    @Override
    void close();
}
