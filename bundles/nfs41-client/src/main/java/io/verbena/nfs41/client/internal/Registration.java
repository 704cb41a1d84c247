package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.ImplementationId;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** The requests that stand outside a session: they make the client and its session known, and forgotten again. */
final class Registration {
    private static final int CACHED_SIZE = 4096;
    private static final int MAX_OPERATIONS = 64;
    private static final int SMALL_MESSAGE = 65536;

    private final Requester requester;
    private final Opaque ownerId;
    private final long verifier;
    private final CallbackCredentials callbackCredentials;

    /**
     * @param ownerId unique among all clients of the server
     * @param verifier of this incarnation
     * @param callbackCredentials whom callbacks may come from
     */
    Registration(Requester requester, Opaque ownerId, long verifier, CallbackCredentials callbackCredentials) {
        this.requester = requester;
        this.ownerId = ownerId;
        this.verifier = verifier;
        this.callbackCredentials = callbackCredentials;
    }

    ExchangeId.Result exchangeId() throws IOException {
        ExchangeId.Args args = new ExchangeId.Args(
                verifier, ownerId, ExchangeId.USE_NON_PNFS, StateProtection.NONE, Optional.of(software()));
        return call(Opcode.EXCHANGE_ID, out -> ExchangeId.encodeArgs(out, args), ExchangeId::decodeResult);
    }

    private static ImplementationId software() {
        return new ImplementationId("verbena.io", "Verbena", new NfsTime(0, 0));
    }

    /**
     * Makes a session, with the connection for its back channel: the program that answers callbacks is served on it
     * already (RFC 8167 section 6). No RDMA mode is asked for, since there is nothing to step up from.
     *
     * @param made what becomes of the reply; called on the receive thread, before anything that comes behind the reply
     */
    <T> T createSession(long clientId, int sequenceId, Function<CreateSession.Result, T> made) throws IOException {
        MountSettings settings = requester.settings();
        int request = Math.max(settings.wsize() + MountSettings.DATA_OVERHEAD, SMALL_MESSAGE);
        int response = Math.max(settings.rsize() + MountSettings.DATA_OVERHEAD, SMALL_MESSAGE);
        ChannelAttributes fore = new ChannelAttributes(
                0, request, response, CACHED_SIZE, MAX_OPERATIONS, settings.slots(), Optional.empty());
        CreateSession.Args args = new CreateSession.Args(
                clientId,
                sequenceId,
                CreateSession.CONN_BACK_CHAN,
                fore,
                CallbackLimits.offer(),
                CallbackProgram.PROGRAM,
                callbackCredentials.announced());
        return call(
                Opcode.CREATE_SESSION,
                out -> CreateSession.encodeArgs(out, args),
                in -> made.apply(CreateSession.decodeResult(in)));
    }

    void destroySession(SessionId session) throws IOException {
        call(
                Opcode.DESTROY_SESSION,
                out -> DestroySession.encodeArgs(out, new DestroySession.Args(session)),
                body -> session);
    }

    void destroyClientId(long clientId) throws IOException {
        call(
                Opcode.DESTROY_CLIENTID,
                out -> DestroyClientId.encodeArgs(out, new DestroyClientId.Args(clientId)),
                body -> clientId);
    }

    /**
     * Lets the session use the connection for its back channel too, if the server wants. Blocks; so not on the
     * transport's thread.
     */
    BindConnToSession.Direction bind(SessionId session) throws IOException {
        BindConnToSession.Args args = new BindConnToSession.Args(session, BindConnToSession.Wish.FORE_OR_BOTH, false);
        return call(
                        Opcode.BIND_CONN_TO_SESSION,
                        out -> BindConnToSession.encodeArgs(out, args),
                        BindConnToSession::decodeResult)
                .direction();
    }

    private <T> T call(int opcode, Consumer<XdrWriter> arguments, ReplyDecoder<T> decoder) throws IOException {
        Retry retry = new Retry();
        while (true) {
            RpcCall call = requester.newCall(new XdrWriter());
            Operations operations = new Operations().begin(call.arguments());
            arguments.accept(operations.next());
            operations.end();
            call.maxReplySize(Request.SMALL_REPLY);
            Line connection = requester.link().connect();
            try {
                CompletableFuture<T> reply = connection.call(
                        call, in -> decoder.decode(new Results().begin(in).next(opcode)));
                if (reply != null) {
                    return await(connection, reply);
                }
            } catch (CallTimedOutException e) {
                requester.link().failed(connection, e);
                throw e;
            } catch (StatusException e) {
                if (e.status() != Status.NFS4ERR_DELAY || requester.isClosed() || retry.attempts() > 10) {
                    throw e;
                }
                Pause.millis(retry.nextDelayMillis());
            }
        }
    }

    private static <T> T await(Line connection, CompletableFuture<T> reply) throws IOException {
        try {
            return Blocking.await(reply);
        } finally {
            connection.answered();
        }
    }
}
