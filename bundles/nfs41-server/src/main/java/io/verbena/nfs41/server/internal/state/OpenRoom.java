package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.util.NfsError;

/**
 * The charge of an open that is taken before the file is made: a client that is put off afterwards would find the file
 * at its next try. One thread uses it.
 */
public final class OpenRoom implements AutoCloseable {
    private final StateTable states;
    private final Client client;
    private final long octets;
    private boolean isTaken;

    OpenRoom(StateTable states, Client client, Opaque owner) {
        this.states = states;
        this.client = client;
        this.octets = OpenState.octets(owner);
    }

    /**
     * Charges the client's account.
     *
     * @throws NfsError {@code DELAY} or {@code SERVERFAULT} where the client may have no further open
     */
    public void take() throws NfsError {
        states.requireRoom(client);
        if (!client.account().take(StateKind.OPENS, octets)) {
            throw StateTable.refusal(client);
        }
        isTaken = true;
    }

    /**
     * Leaves the charge to the open that is made now. Guarded by the lock of {@link StateTable}, with which a client
     * that has ended loses its states: it gets no further one.
     *
     * @return whether the account was charged
     */
    boolean use() {
        boolean isUsed = isTaken && !client.account().isClosed();
        isTaken &= !isUsed;
        return isUsed;
    }

    /** Gives the charge back if there is no open for it. */
    @Override
    public void close() {
        if (isTaken) {
            isTaken = false;
            client.account().give(StateKind.OPENS, octets);
        }
    }
}
