package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.rpc.RpcException;
import java.io.IOException;

/** Makes a session, gets back in it what was held before, and finds the root. Belongs to the attempt under way; blocks. */
final class Recovery {
    private final Requester requester;
    private final SessionMaker maker;
    private final Root root;
    private final OpenStates opens;

    Recovery(Requester requester, SessionMaker maker, Root root, OpenStates opens) {
        this.requester = requester;
        this.maker = maker;
        this.root = root;
        this.opens = opens;
    }

    Session make() throws IOException {
        Session session = maker.make();
        try {
            opens.reclaim(requester, session, maker.client().clientId(), maker.isRegistered());
            root.find(requester, session);
            maker.reclaimed();
            return session;
        } catch (IOException | RuntimeException e) {
            session.kill();
            boolean unknown = e instanceof StatusException status && status.opcode() == Opcode.SEQUENCE;
            if (!unknown && !(e instanceof RpcException)) {
                maker.discard(session);
            }
            throw e;
        }
    }

    /** Whether the server has restarted while the session was being made: then a first attempt is made again too. */
    static boolean isForgotten(Exception e) {
        return e instanceof StatusException answer
                && switch (answer.status()) {
                    case NFS4ERR_BADSESSION, NFS4ERR_DEADSESSION, NFS4ERR_STALE_CLIENTID -> true;
                    default -> false;
                };
    }
}
