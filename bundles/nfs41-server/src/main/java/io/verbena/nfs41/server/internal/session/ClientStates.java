package io.verbena.nfs41.server.internal.session;

/** The opens, locks and delegations of all clients, as far as a client's record depends on them. Thread safe. */
public interface ClientStates {
    /** Whether the client holds any state; a revoked delegation does not count. */
    boolean holdsState(Client client);

    /** Ends all state that the client holds. */
    void dropAll(Client client);
}
