package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;

/** An owner's locks in a file. */
final class LockState extends StateEntry {
    private final OpenState open;
    private final Opaque owner;

    LockState(OpenState open, Opaque owner, long otherHigh, int otherLow) {
        super(open.client(), open.inode(), otherHigh, otherLow);
        this.open = open;
        this.owner = owner;
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
