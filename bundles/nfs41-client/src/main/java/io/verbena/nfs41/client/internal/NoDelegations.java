package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.util.Optional;

/** The callbacks of a client that holds no delegations. */
final class NoDelegations implements DelegationCallbacks {
    @Override
    public Status recall(FileHandle file, StateId delegation, boolean truncate) {
        return Status.NFS4ERR_BAD_STATEID;
    }

    @Override
    public Optional<Attributes> attributes(FileHandle file, AttributeMask asked) {
        return Optional.empty();
    }

    @Override
    public void recallAny(int keep, boolean reading, boolean writing) {
        // no more than any number are held
    }
}
