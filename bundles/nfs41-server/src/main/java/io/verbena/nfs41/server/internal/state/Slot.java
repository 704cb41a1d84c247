package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_RETRY_UNCACHED_REP;
import static io.verbena.nfs41.Status.NFS4ERR_SEQ_FALSE_RETRY;
import static io.verbena.nfs41.Status.NFS4ERR_SEQ_MISORDERED;
import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.Status;

/** A slot of a session: its last request's number and, where it was to be cached, the reply. Thread safe. */
public final class Slot {
    private int sequenceId;
    private long fingerprint;
    private boolean busy;
    private byte[] reply;

    /**
     * Enters a request (RFC 8881 section 2.10.6.2).
     *
     * @param requestFingerprint by which another request under the same number is told from a retry
     * @return {@code OK}: it is new, and {@link #complete} has to follow. {@code RETRY_UNCACHED_REP}: a retry;
     *     {@link #reply} tells whether the reply is here after all. All else is the status of SEQUENCE
     */
    public synchronized Status begin(int requestSequenceId, long requestFingerprint) {
        if (requestSequenceId == sequenceId && sequenceId != 0) {
            if (busy) {
                return NFS4ERR_DELAY;
            }
            return requestFingerprint == fingerprint ? NFS4ERR_RETRY_UNCACHED_REP : NFS4ERR_SEQ_FALSE_RETRY;
        }
        // the number after 2^32 - 1 is 0 (section 2.10.6.1)
        if (requestSequenceId != sequenceId + 1 || busy) {
            return NFS4ERR_SEQ_MISORDERED;
        }
        sequenceId = requestSequenceId;
        fingerprint = requestFingerprint;
        busy = true;
        reply = null;
        return NFS4_OK;
    }

    /**
     * The request is answered.
     *
     * @param cached the whole reply, or null where it is not kept
     */
    public synchronized void complete(byte[] cached) {
        busy = false;
        reply = cached;
    }

    /** The reply that a retry gets, or null where it was not kept. */
    public synchronized byte[] reply() {
        return reply;
    }

    /** The last request's number. */
    synchronized int sequenceId() {
        return sequenceId;
    }
}
