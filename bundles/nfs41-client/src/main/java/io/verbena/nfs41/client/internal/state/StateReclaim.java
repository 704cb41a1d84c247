package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.util.Blocking;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaims opens, locks and delegations after a restart of the server (RFC 8881 section 8.4.2). The thread that
 * recovers the session uses an object of this class and blocks in it.
 */
final class StateReclaim {
    private static final Logger LOG = LoggerFactory.getLogger(StateReclaim.class);

    private final CompoundCaller caller;
    private final Session session;
    private final long clientId;
    private final Delegations delegations;

    /** @param clientId the new one, which has no state yet */
    StateReclaim(CompoundCaller caller, Session session, long clientId, Delegations delegations) {
        this.caller = caller;
        this.session = session;
        this.clientId = clientId;
        this.delegations = delegations;
    }

    /**
     * Reclaims all opens, and ends the claims by RECLAIM_COMPLETE (RFC 8881 section 8.4.2.1). A file that cannot be
     * claimed is opened again at its next use. Blocks.
     */
    void reclaim(Collection<OpenState> opens) throws IOException {
        delegations.forgetIdle();
        for (OpenState open : widestFirst(opens)) {
            try {
                reclaim(open);
            } catch (StatusException e) {
                if (saysNothingOfTheFile(e)) {
                    throw e;
                }
                LOG.info("{} could not be claimed back ({}), to be opened anew", open.path(), e.status());
                refused(open, e.status());
            }
        }
        delegations.forgetUnclaimed(clientId);
        try {
            Blocking.await(caller.runtime(), caller.call(new Complete(), session));
        } catch (StatusException e) {
            if (e.status() != Status.NFS4ERR_COMPLETE_ALREADY) {
                throw e;
            }
        }
    }

    /**
     * The opens with the widest access first: the first open of a file claims its delegation, and some servers grant no
     * wider delegation than that open.
     */
    private static List<OpenState> widestFirst(Collection<OpenState> opens) {
        return opens.stream()
                .sorted(Comparator.comparingInt(OpenState::shareAccess).reversed())
                .toList();
    }

    /** Whether the session failed, or the server put the claim off, so that the claims are to be repeated. */
    private static boolean saysNothingOfTheFile(StatusException e) {
        return e.opcode() == Opcode.SEQUENCE
                || e.status() == Status.NFS4ERR_DELAY
                || e.status() == Status.NFS4ERR_GRACE;
    }

    /**
     * Reclaims an open and its locks, once for each client id. The first open of a file also reclaims its delegation,
     * which may be granted for less than before.
     */
    private void reclaim(OpenState open) throws IOException {
        if (open.isReclaimedBy(clientId) || open.isClosed()) {
            return; // in an earlier session of this client's, which was lost before all was done
        }
        Delegation held = open.delegation();
        boolean back = held != null && held.isReclaimedBy(clientId);
        if (!back || open.openStateId() != null || !held.carries(open)) {
            int type = back || held == null ? OpenDelegation.NONE : held.typeToClaim();
            OpenByHandleRequest request = new OpenByHandleRequest(open, () -> new OpenClaim.Previous(type));
            OpenByHandleRequest.Opened opened = Blocking.await(caller.runtime(), caller.call(request, session));
            open.opened(opened);
            if (type != OpenDelegation.NONE) {
                back = delegations.reclaimed(held, clientId, opened.delegation());
            }
        }
        open.locks().reclaim(caller, session, open, back && held.isForWriting());
        open.reclaimed(clientId);
    }

    /** The server has refused the reclaim: the file is opened again at its next use. */
    private void refused(OpenState open, Status why) {
        Delegation held = open.delegation();
        if (held != null && !held.isReclaimedBy(clientId)) {
            delegations.reclaimed(held, clientId, new OpenDelegation.None());
        }
        open.refused();
        open.locks().lose("the server had forgotten this client and did not give it back (" + why + ")");
    }

    /** RECLAIM_COMPLETE (RFC 8881 section 18.51). */
    private static final class Complete extends CompoundRequest<Void> {
        @Override
        public void encode(CompoundWriter operations) {
            ReclaimComplete.encodeArgs(operations.next(), new ReclaimComplete.Args(false));
        }

        @Override
        public Void decode(Results results) throws IOException {
            results.next(Opcode.RECLAIM_COMPLETE);
            return null;
        }
    }
}
