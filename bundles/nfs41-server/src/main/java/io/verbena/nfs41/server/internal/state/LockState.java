package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;

/** An owner's locks in a file. */
final class LockState extends StateEntry {
    private final OpenState open;

    LockState(OpenState open, Opaque owner, long otherHigh, int otherLow) {
        super(open.client(), owner, open.inode(), otherHigh, otherLow);
        this.open = open;
    }

    OpenState open() {
        return open;
    }

    boolean isOwnedBy(Client client, Opaque owner) {
        return client() == client && owner().equals(owner);
    }
}
