package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.budget.StateKind;
import io.verbena.nfs41.server.internal.session.Client;

/** An owner's locks in a file. */
final class LockState extends StateIdEntry {
    private final OpenState open;
    private final Opaque owner;

    LockState(OpenState open, Opaque owner, long otherHigh, int otherLow) {
        super(open.client(), open.inode(), otherHigh, otherLow);
        this.open = open;
        this.owner = owner;
    }

    @Override
    StateKind kind() {
        return StateKind.LOCK_OWNERS;
    }

    @Override
    long octets() {
        return StateKind.LOCK_OWNERS.octets() + owner.length();
    }

    OpenState open() {
        return open;
    }

    Opaque owner() {
        return owner;
    }

    boolean isOwnedBy(Client client, Opaque other) {
        return client() == client && owner.equals(other);
    }
}
