package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.util.Optional;

/** What the server asks of delegations by callbacks. Called on the connection's receive thread: never blocks. */
interface DelegationCallbacks {
    /**
     * CB_RECALL (RFC 8881 section 20.2): the delegation goes back as soon as what depends on it has been written back;
     * that takes its time, after the answer.
     *
     * @param truncate whether the file is about to be cut to nothing, so that its data need not be written back
     * @return NFS4_OK, also where it is on its way back already; NFS4ERR_BADHANDLE or NFS4ERR_BAD_STATEID where it is
     *     not held; NFS4ERR_DELAY where the reply that brings it may still be on its way
     */
    Status recall(FileHandle file, StateId delegation, boolean truncate);

    /**
     * CB_GETATTR (section 20.1): size and change attribute as the holder of a write delegation sees them.
     *
     * @return those of the attributes asked for that are known; empty where no write delegation of the file is held
     */
    Optional<Attributes> attributes(FileHandle file, AttributeMask asked);

    /**
     * CB_RECALL_ANY (section 20.6): gives delegations back, the client's choice which, until no more than that many are
     * held.
     *
     * @param reading whether read delegations shall go
     * @param writing whether write delegations shall go
     */
    void recallAny(int keep, boolean reading, boolean writing);
}
