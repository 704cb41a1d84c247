package io.verbena.nfs41.client.internal.session;

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
import io.verbena.nfs41.client.internal.callback.CallbackCredentials;
import io.verbena.nfs41.client.internal.callback.CallbackLimits;
import io.verbena.nfs41.client.internal.callback.CallbackProgram;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.link.CallAttempt;
import io.verbena.nfs41.client.internal.link.LinkConnection;
import io.verbena.nfs41.client.internal.security.MountSecurity;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.SecurityKind;
import io.verbena.nfs41.client.internal.util.WorkerPause;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpc.retry.RetryPolicy;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The requests outside of a session: EXCHANGE_ID, CREATE_SESSION, BIND_CONN_TO_SESSION, DESTROY_SESSION and
 * DESTROY_CLIENTID. Thread safe; all methods block.
 */
public final class ClientRegistration {
    private static final RetryPolicy POSTPONED = MountSettings.RETRIES.withAttempts(11);
    /** Other users neither end nor take the mount's sessions (RFC 8881 section 18.35.3). */
    private static final StateProtection MACHINE_CREDENTIAL = StateProtection.machine(
            Opcode.BIND_CONN_TO_SESSION,
            Opcode.EXCHANGE_ID,
            Opcode.CREATE_SESSION,
            Opcode.DESTROY_SESSION,
            Opcode.DESTROY_CLIENTID);

    /** How often in a row the server may forget the security context of a call. */
    private static final int MOST_LOST_CONTEXTS = 3;

    private static final int CACHED_SIZE = 4096;
    private static final int MAX_OPERATIONS = 64;
    private static final int SMALL_MESSAGE = 65536;
    private static final byte[] OF_KERBEROS = "/krb5".getBytes(StandardCharsets.US_ASCII);

    private final CompoundCaller caller;
    private final Opaque ownerId;
    private final long verifier;
    private final CallbackCredentials callbackCredentials;

    /**
     * @param ownerId the client owner, unique among all clients of the server
     * @param verifier the client verifier of this incarnation of the client
     * @param callbackCredentials the credentials that callbacks may come with
     */
    public ClientRegistration(
            CompoundCaller caller, Opaque ownerId, long verifier, CallbackCredentials callbackCredentials) {
        this.caller = caller;
        this.ownerId = ownerId;
        this.verifier = verifier;
        this.callbackCredentials = callbackCredentials;
    }

    ExchangeId.Result exchangeId() throws IOException {
        if (caller.link().security().kind().isProtected()) {
            try {
                return exchangeId(MACHINE_CREDENTIAL);
            } catch (StatusException e) {
                if (!isWithoutProtection(e.status())) {
                    throw e;
                }
            }
        }
        return exchangeId(StateProtection.NONE);
    }

    /**
     * Whether the server has no protection of state for this user. Linux answers SERVERFAULT where its rpc.svcgssd does
     * not tell it the name of the principal, which is so for all but hosts.
     */
    private static boolean isWithoutProtection(Status status) {
        return switch (status) {
            case NFS4ERR_INVAL, NFS4ERR_SERVERFAULT, NFS4ERR_NOTSUPP, NFS4ERR_ENCR_ALG_UNSUPP -> true;
            default -> false;
        };
    }

    /**
     * A client owner is of one principal (RFC 8881 section 18.35.4, case 3), and what one mount has held by Kerberos
     * may be in the server's memory still when the next one comes by AUTH_SYS.
     */
    static Opaque ownerFor(Opaque owner, SecurityKind kind) {
        if (!kind.isProtected()) {
            return owner;
        }
        byte[] plain = owner.toByteArray();
        byte[] extended = Arrays.copyOf(plain, plain.length + OF_KERBEROS.length);
        System.arraycopy(OF_KERBEROS, 0, extended, plain.length, OF_KERBEROS.length);
        return Opaque.of(extended);
    }

    private ExchangeId.Result exchangeId(StateProtection wanted) throws IOException {
        Opaque owner = ownerFor(ownerId, caller.link().security().kind());
        ExchangeId.Args args =
                new ExchangeId.Args(verifier, owner, ExchangeId.USE_NON_PNFS, wanted, Optional.of(software()));
        return call(Opcode.EXCHANGE_ID, out -> ExchangeId.encodeArgs(out, args), ExchangeId::decodeResult);
    }

    private static ImplementationId software() {
        return new ImplementationId("verbena.io", "Verbena", new NfsTime(0, 0));
    }

    /**
     * Makes a session whose back channel uses this connection: the callback program is served on the connection already
     * (RFC 8167 section 6). RDMA mode is not requested, as the connection uses RDMA from the start.
     *
     * @param made takes the reply; called on the receive thread, before any message behind the reply
     */
    <T> T createSession(long clientId, int sequenceId, Function<CreateSession.Result, T> made) throws IOException {
        MountSettings settings = caller.settings();
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
     * Binds the connection to the session, for the back channel too if the server wants. Blocks; not to be called on
     * the receive thread.
     */
    BindConnToSession.Direction bind(SessionId session) throws IOException {
        return bind(session, BindConnToSession.Wish.FORE_OR_BOTH, caller.link()::connect);
    }

    /**
     * Binds a further connection to the session, for requests alone. A server that knows the session is the server that
     * made it: session ids are its own. Blocks; not to be called on the receive thread.
     */
    void bind(SessionId session, LinkConnection extra) throws IOException {
        var unused = bind(session, BindConnToSession.Wish.FORE, () -> {
            if (extra.isLeft()) {
                throw new TransportLostException("the connection ended before it was bound to the session", null);
            }
            return extra;
        });
    }

    private BindConnToSession.Direction bind(SessionId session, BindConnToSession.Wish wish, Source by)
            throws IOException {
        BindConnToSession.Args args = new BindConnToSession.Args(session, wish, false);
        return call(
                        by,
                        Opcode.BIND_CONN_TO_SESSION,
                        out -> BindConnToSession.encodeArgs(out, args),
                        BindConnToSession::decodeResult)
                .direction();
    }

    /** The connection that a call goes by. */
    private interface Source {
        LinkConnection connect() throws IOException;
    }

    private <T> T call(int opcode, Consumer<XdrWriter> arguments, ReplyDecoder<T> decoder) throws IOException {
        return call(caller.link()::connect, opcode, arguments, decoder);
    }

    private <T> T call(Source by, int opcode, Consumer<XdrWriter> arguments, ReplyDecoder<T> decoder)
            throws IOException {
        RetryPolicy.Series retry = caller.start(POSTPONED);
        int lostContexts = 0;
        while (true) {
            RpcCall call = caller.newStateCall(new XdrWriter());
            CompoundWriter operations = new CompoundWriter().begin(call.arguments());
            arguments.accept(operations.next());
            operations.end();
            call.maxReplySize(CompoundRequest.SMALL_REPLY);
            try {
                Optional<T> result = attempt(
                        by, call, in -> decoder.decode(new Results().begin(in).next(opcode)));
                if (result.isPresent()) {
                    return result.get();
                }
            } catch (RpcRejectedException e) {
                lostContexts++;
                if (!MountSecurity.isContextLost(e) || lostContexts >= MOST_LOST_CONTEXTS) {
                    throw e;
                }
            } catch (StatusException e) {
                if (e.status() != Status.NFS4ERR_DELAY || caller.isClosed() || retry.isOver()) {
                    throw e;
                }
                WorkerPause.millis(caller.runtime(), retry.nextPauseMillis());
            }
        }
    }

    /** Sends the call once; empty where the transport is leaving the connection and the call was not sent. */
    private <T> Optional<T> attempt(Source by, RpcCall call, ReplyDecoder<T> decoder) throws IOException {
        CallAttempt attempt = new CallAttempt(caller.silence());
        LinkConnection connection = null;
        try {
            connection = by.connect();
            CompletableFuture<T> reply = connection.call(call, decoder);
            if (reply == null) {
                return Optional.empty();
            }
            T result = await(connection, reply);
            attempt.answered(connection);
            return Optional.of(result);
        } catch (StatusException e) {
            attempt.answered(connection);
            throw e;
        } catch (CallTimedOutException e) {
            attempt.unanswered(e);
            if (connection != null) {
                caller.link().failed(connection, e);
            }
            throw e;
        } catch (IOException e) {
            attempt.unanswered(e);
            throw e;
        } finally {
            attempt.unanswered(null);
        }
    }

    private <T> T await(LinkConnection connection, CompletableFuture<T> reply) throws IOException {
        try {
            return Blocking.await(caller.runtime(), reply);
        } finally {
            connection.answered();
        }
    }
}
