package io.verbena.nfs41.server.internal.state;

import java.util.ArrayList;
import java.util.List;

/** What is held in one file, by all clients. Guarded by {@link StateTable}'s lock. */
final class FileState {
    private final List<OpenState> opens = new ArrayList<>(2);
    private final RangeLocks locks = new RangeLocks();
    private final List<Delegation> delegations = new ArrayList<>(1);
    private final List<Client> changers = new ArrayList<>(0);

    List<OpenState> opens() {
        return opens;
    }

    RangeLocks locks() {
        return locks;
    }

    /** Those that are held, not those that were revoked. */
    List<Delegation> delegations() {
        return delegations;
    }

    /** Who is changing the file at the moment by something else than an open; once for each change under way. */
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
     * Delegations of others that do not go together with what a client wants to do.
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

    /** Whether somebody else makes it impossible to delegate the file to a client. */
    boolean isContended(Client client, boolean write) {
        for (Client changer : changers) {
            if (changer != client) {
                return true;
            }
        }
        for (OpenState open : opens) {
            if (open.client() != client && (write || open.keepsReadDelegationsAway())) {
                return true;
            }
        }
        return !conflicts(client, write).isEmpty();
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
