package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.*;

import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.DestroyClientId;
import io.verbena.nfs41.DestroySession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.ImplementationId;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.StateProtection;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.budget.Principal;
import io.verbena.nfs41.server.internal.session.ClientTable;
import io.verbena.nfs41.server.internal.session.KnownClient;
import io.verbena.nfs41.server.internal.session.Requester;
import io.verbena.nfs41.server.internal.session.Session;
import io.verbena.nfs41.server.internal.session.SessionSlots;
import io.verbena.nfs41.server.internal.session.Slot;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcPeer;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.Optional;

/** Operations of clients and sessions (RFC 8881 sections 18.35 to 18.37, 18.46, 18.50 and 18.51). */
final class SessionOperations {
    private static final int REQUEST_FLAGS = ExchangeId.SUPP_MOVED_REFER
            | ExchangeId.SUPP_MOVED_MIGR
            | ExchangeId.BIND_PRINC_STATEID
            | ExchangeId.USE_NON_PNFS
            | ExchangeId.USE_PNFS_MDS
            | ExchangeId.USE_PNFS_DS
            | ExchangeId.UPD_CONFIRMED_REC_A;
    private static final int CREATE_FLAGS =
            CreateSession.PERSIST | CreateSession.CONN_BACK_CHAN | CreateSession.CONN_RDMA;

    /** What the machine credential is required for, if a client asks for it (RFC 8881 section 18.35.3). */
    private static final StateProtection MACHINE = StateProtection.machine(
            Opcode.BIND_CONN_TO_SESSION,
            Opcode.EXCHANGE_ID,
            Opcode.CREATE_SESSION,
            Opcode.DESTROY_SESSION,
            Opcode.DESTROY_CLIENTID);

    private final ClientTable clients;
    private final Opaque serverOwner;
    private final Optional<ImplementationId> implementation =
            Optional.of(new ImplementationId("verbena.io", "Verbena", new NfsTime(0, 0)));

    /** @param serverOwner another one for each export: exports share neither clients nor sessions */
    SessionOperations(ClientTable clients, Opaque serverOwner) {
        this.clients = clients;
        this.serverOwner = serverOwner;
    }

    void addTo(OperationTable table) {
        table.add(Opcode.EXCHANGE_ID, this::exchangeId)
                .add(Opcode.CREATE_SESSION, this::createSession)
                .add(Opcode.SEQUENCE, this::sequence)
                .add(Opcode.DESTROY_SESSION, this::destroySession)
                .add(Opcode.DESTROY_CLIENTID, this::destroyClient)
                .add(Opcode.RECLAIM_COMPLETE, this::reclaimComplete);
    }

    private Status exchangeId(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        ExchangeId.Args args = ExchangeId.decodeArgs(in);
        if ((args.flags() & ~REQUEST_FLAGS) != 0) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        Requester by = requester(context);
        ExchangeId.Args guarded = new ExchangeId.Args(
                args.verifier(),
                args.ownerId(),
                args.flags(),
                granted(args.stateProtection(), by),
                args.implementation());
        KnownClient known =
                clients.exchangeId(guarded, by, context.request().peer().remoteAddress());
        int flags = ExchangeId.USE_NON_PNFS | (known.isConfirmed() ? ExchangeId.CONFIRMED_R : 0);
        ExchangeId.encodeResult(
                out,
                new ExchangeId.Result(
                        known.clientId(),
                        known.sequenceId(),
                        flags,
                        known.protection(),
                        0,
                        serverOwner,
                        serverOwner,
                        implementation));
        return NFS4_OK;
    }

    /** The protection that is granted: what it requires has to be proved by each request, so by this one too. */
    private static StateProtection granted(StateProtection asked, Requester by) throws NfsError {
        return switch (asked.how()) {
            case SP4_NONE -> StateProtection.NONE;
            case SP4_MACH_CRED -> {
                if (!by.isProtected()) {
                    throw new NfsError(NFS4ERR_INVAL);
                }
                yield asked.enforcing(MACHINE);
            }
            case SP4_SSV -> throw new NfsError(NFS4ERR_ENCR_ALG_UNSUPP);
        };
    }

    private static Requester requester(CompoundContext context) {
        return Requester.of(context.request().credential());
    }

    private Status createSession(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        CreateSession.Args args = CreateSession.decodeArgs(in);
        if ((args.flags() & ~CREATE_FLAGS) != 0) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        RpcPeer peer = context.request().peer();
        CreateSession.Result made = clients.createSession(args, requester(context), peer);
        context.afterReply(() -> clients.sessions().ready(made.sessionId(), peer));
        CreateSession.encodeResult(out, made);
        return NFS4_OK;
    }

    private Status sequence(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        int requestSize = in.position() + in.remaining();
        Sequence.Args args = Sequence.decodeArgs(in);
        Session session =
                clients.sessions().get(args.sessionId(), context.request().peer());
        if (context.operations() > session.fore().maxOperations()) {
            throw new NfsError(NFS4ERR_TOO_MANY_OPS);
        }
        if (requestSize > session.fore().maxRequestSize()) {
            throw new NfsError(NFS4ERR_REQ_TOO_BIG);
        }
        Slot slot = session.slot(args.slotId(), args.highestSlotId());
        clients.renew(session);
        Status begun = slot.begin(args.sequenceId(), fingerprint(context, in), args.cacheThis());
        if (begun == NFS4ERR_RETRY_UNCACHED_REP) {
            return retry(context, args, session, slot, out);
        }
        if (!begun.isOk()) {
            throw new NfsError(begun);
        }
        context.enter(session, slot, args);
        encode(args, session, clients.entered(session, slot, args), out);
        return NFS4_OK;
    }

    private static void encode(Sequence.Args args, Session session, SessionSlots.SlotNumbers slots, XdrWriter out) {
        Sequence.encodeResult(
                out,
                new Sequence.Result(
                        args.sessionId(),
                        args.sequenceId(),
                        args.slotId(),
                        slots.highest(),
                        slots.target(),
                        session.statusFlags()));
    }

    /**
     * Handles a retry: it is answered with the kept reply; without one, SEQUENCE succeeds and the next operation fails
     * (RFC 8881 section 2.10.6.1.3).
     */
    private static Status retry(
            CompoundContext context, Sequence.Args args, Session session, Slot slot, XdrWriter out) {
        byte[] reply = slot.reply();
        if (reply != null) {
            context.replay(reply);
        } else {
            context.refuseRetry();
        }
        encode(args, session, session.slots(), out);
        return NFS4_OK;
    }

    /**
     * A fingerprint that two different requests rarely share: principal, what is protected, number of operations,
     * octets. So a reply that was private is not repeated to who asks without privacy. A request has the same octets
     * whether its data comes in the message or by a Read chunk: the connection of a retry may decide otherwise.
     */
    private static long fingerprint(CompoundContext context, XdrReader in) {
        Credential credential = context.request().credential();
        long service = credential instanceof Credential.Proved proved ? proved.service() : 0;
        long principal = Principal.of(credential).fingerprint();
        return Long.rotateLeft(principal, 32) ^ service << 56 ^ (long) context.operations() << 24 ^ in.fullRemaining();
    }

    private Status destroySession(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        clients.destroySession(DestroySession.decodeArgs(in).sessionId(), requester(context));
        DestroySession.encodeResult(out);
        return NFS4_OK;
    }

    private Status destroyClient(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        long id = DestroyClientId.decodeArgs(in).clientId();
        return context.onWorker(() -> {
            clients.destroyClient(id, requester(context));
            DestroyClientId.encodeResult(out);
            return NFS4_OK;
        });
    }

    private Status reclaimComplete(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        ReclaimComplete.Args args = ReclaimComplete.decodeArgs(in);
        if (args.oneFileSystem()) {
            context.current(); // throws without a filehandle; the one file system was not migrated
            ReclaimComplete.encodeResult(out);
            return NFS4_OK;
        }
        return context.onWorker(() -> {
            clients.reclaimComplete(context.client(), requester(context).principal());
            ReclaimComplete.encodeResult(out);
            return NFS4_OK;
        });
    }
}
