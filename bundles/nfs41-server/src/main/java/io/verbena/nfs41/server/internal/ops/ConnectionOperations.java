package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.BackchannelCtl;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.BindConnToSession.Direction;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.budget.Principal;
import io.verbena.nfs41.server.internal.session.ClientTable;
import io.verbena.nfs41.server.internal.session.Requester;
import io.verbena.nfs41.server.internal.session.Session;
import io.verbena.rpc.RpcPeer;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;

/**
 * BIND_CONN_TO_SESSION and BACKCHANNEL_CTL, which tell what a session uses its connections for (RFC 8881 sections 18.33
 * and 18.34).
 */
final class ConnectionOperations {
    private final ClientTable clients;

    ConnectionOperations(ClientTable clients) {
        this.clients = clients;
    }

    void addTo(OperationTable table) {
        table.add(Opcode.BIND_CONN_TO_SESSION, this::bind).add(Opcode.BACKCHANNEL_CTL, this::control);
    }

    /** Binds a connection. A connection is in RDMA mode from its start or never: none changes to RDMA mode here. */
    private Status bind(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        BindConnToSession.Args args = BindConnToSession.decodeArgs(in);
        Requester by = Requester.of(context.request().credential());
        RpcPeer peer = context.request().peer();
        Session session = clients.sessions().bindable(args.sessionId(), by, peer);
        Direction direction = session.bind(peer, args.wish());
        clients.renew(session);
        context.afterReply(() -> session.ready(peer));
        BindConnToSession.encodeResult(out, new BindConnToSession.Result(args.sessionId(), direction, false));
        return NFS4_OK;
    }

    private Status control(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        BackchannelCtl.Args args = BackchannelCtl.decodeArgs(in);
        context.client().require(Principal.of(context.request().credential()));
        context.session().callBack(args.callbackProgram(), args.callbackSecurity());
        BackchannelCtl.encodeResult(out);
        return NFS4_OK;
    }
}
