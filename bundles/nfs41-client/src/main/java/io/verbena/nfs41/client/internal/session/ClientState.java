package io.verbena.nfs41.client.internal.session;

import java.io.IOException;

/** The state that the client holds on the server beside its session: opens, locks and delegations. Thread safe. */
public interface ClientState {
    /**
     * Claims in a new session what was held before, where the client id is new, and ends the claims by RECLAIM_COMPLETE
     * (RFC 8881 section 8.4.2.1). Blocks.
     *
     * @param registered whether the client id is new
     * @throws IOException where the session or the server failed, so that the claims are to be made again
     */
    void reclaim(CompoundCaller caller, Session session, long clientId, boolean registered) throws IOException;

    /** The server says that it has revoked some state: finds out which. Must not block. */
    void suspect();
}
