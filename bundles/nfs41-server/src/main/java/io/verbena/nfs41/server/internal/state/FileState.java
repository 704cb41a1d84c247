package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.server.internal.session.Client;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The state of all clients in one file: opens, locks, delegations. Guarded by the lock of {@link StateTable}. */
final class FileState {
    private final Set<OpenState> opens = new LinkedHashSet<>(2); // one client may have thousands of them
    private final RangeLocks locks = new RangeLocks();
    private final List<Delegation> delegations = new ArrayList<>(1);
    private final List<Client> changers = new ArrayList<>(0);

    Set<OpenState> opens() {
        return opens;
    }

    RangeLocks locks() {
        return locks;
    }

    /** The delegations that are held, without revoked ones. */
    List<Delegation> delegations() {
        return delegations;
    }

    /** The clients whose changes of the file are in progress, once for each change. An OPEN is not in here. */
    List<Client> changers() {
        return changers;
    }

    boolean isIdle() {
        return opens.isEmpty() && delegations.isEmpty() && changers.isEmpty();
    }

    /** The client's own delegation, or null. */
    Delegation delegationOf(Client client) {
        for (Delegation delegation : delegations) {
            if (delegation.client() == client) {
                return delegation;
            }
        }
        return null;
    }

    /**
     * The delegations of other clients that conflict with a client's request.
     *
     * @param changes whether it changes the file, its attributes or its names, or keeps readers out
     */
    List<Delegation> conflicts(Client client, boolean changes) {
        List<Delegation> found = new ArrayList<>(delegations.size());
        for (Delegation delegation : delegations) {
            if (delegation.client() != client && (changes || delegation.isWrite())) {
                found.add(delegation);
            }
        }
        return found;
    }

    /** Whether a change of another client is in progress. */
    boolean isChangedByAnother(Client client) {
        for (Client changer : changers) {
            if (changer != client) {
                return true;
            }
        }
        return false;
    }

    /** Whether an open, a delegation or a change of another client prevents a delegation to this client. */
    boolean isContended(Client client, boolean write) {
        if (isChangedByAnother(client)) {
            return true;
        }
        for (OpenState open : opens) {
            if (open.client() != client && (write || open.keepsReadDelegationsAway())) {
                return true;
            }
        }
        return !conflicts(client, write).isEmpty();
    }

    /** Whether a user of a client has the file open for that access. */
    boolean isOpenBy(Client client, int uid, int access) {
        for (OpenState open : opens) {
            if (open.client() == client && open.isOpenedBy(uid) && (open.access() & access) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether a client has the file open for that access. */
    boolean isOpenBy(Client client, int access) {
        for (OpenState open : opens) {
            if (open.client() == client && (open.access() & access) != 0) {
                return true;
            }
        }
        return false;
    }
}
