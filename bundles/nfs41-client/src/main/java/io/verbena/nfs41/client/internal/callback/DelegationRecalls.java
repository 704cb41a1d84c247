package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.util.Optional;

/** The callbacks about delegations. Called on the connection's receive thread: never blocks. */
public interface DelegationRecalls {
    /**
     * CB_RECALL (RFC 8881 section 20.2): begins to return the delegation. The return ends later, after written data and
     * local state have reached the server.
     *
     * @param truncate whether the file is about to be truncated, so that its data need not be written back
     * @return NFS4_OK, also where the delegation is being returned already; NFS4ERR_BADHANDLE or NFS4ERR_BAD_STATEID
     *     where it is not held; NFS4ERR_DELAY where the reply that grants it may still be under way
     */
    Status recall(FileHandle file, StateId delegation, boolean truncate);

    /**
     * CB_GETATTR (section 20.1): size and change attribute as the holder of a write delegation sees them.
     *
     * @return those of the attributes asked for that are known; empty where no write delegation of the file is held
     */
    Optional<Attributes> attributes(FileHandle file, AttributeMask asked);

    /**
     * CB_RECALL_ANY (section 20.6): returns delegations of the client's choice, until at most that many are held.
     *
     * @param reading whether read delegations shall go
     * @param writing whether write delegations shall go
     */
    void recallAny(int keep, boolean reading, boolean writing);
}
