package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_RETRY_UNCACHED_REP;
import static io.verbena.nfs41.Status.NFS4ERR_SEQ_FALSE_RETRY;
import static io.verbena.nfs41.Status.NFS4ERR_SEQ_MISORDERED;
import static io.verbena.nfs41.Status.NFS4_OK;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.budget.StateKind;

/** A slot of a session: the sequence id of its last request and, if that was to be cached, the reply. Thread safe. */
public final class Slot {
    /** A reply of at most so many octets, like that of a lone SEQUENCE, is part of the slot's own charge. */
    private static final int SMALL_REPLY = 128;

    private final SessionSlots cache;
    private final boolean hasRoom;

    @GuardedBy("this")
    private int sequenceId;

    @GuardedBy("this")
    private long fingerprint;

    @GuardedBy("this")
    private boolean busy;

    @GuardedBy("this")
    private boolean restarted;

    @GuardedBy("this")
    private byte[] reply;

    @GuardedBy("this")
    private long charged;

    @GuardedBy("this")
    private int toldGeneration = -1;

    /** @param hasRoom whether a reply of the greatest length always has room */
    Slot(SessionSlots cache, boolean hasRoom) {
        this.cache = cache;
        this.hasRoom = hasRoom;
    }

    /**
     * Enters a request (RFC 8881 section 2.10.6.2).
     *
     * @param requestFingerprint tells a retry from another request with the same sequence id
     * @param cacheThis whether the reply is to be cached: room for it is charged now
     * @return {@code OK}: a new request, and {@link #complete} must follow. {@code RETRY_UNCACHED_REP}: a retry;
     *     {@link #reply} has the reply, if it was cached. Any other is the status of SEQUENCE; {@code DELAY} if the
     *     first request is not answered yet, or if there is no room for the reply (section 15.1.1.3): the request has
     *     not been entered
     */
    public synchronized Status begin(int requestSequenceId, long requestFingerprint, boolean cacheThis) {
        boolean starts = restarted && requestSequenceId == 1;
        if (requestSequenceId == sequenceId && sequenceId != 0 && !starts) {
            if (busy) {
                return NFS4ERR_DELAY;
            }
            return requestFingerprint == fingerprint ? NFS4ERR_RETRY_UNCACHED_REP : NFS4ERR_SEQ_FALSE_RETRY;
        }
        // the number after 2^32 - 1 is 0 (section 2.10.6.1)
        if ((requestSequenceId != sequenceId + 1 && !starts) || busy) {
            return NFS4ERR_SEQ_MISORDERED;
        }
        long wanted = cacheThis ? cache.longestReply() : 0;
        if (!recharge(wanted)) {
            return NFS4ERR_DELAY;
        }
        sequenceId = requestSequenceId;
        fingerprint = requestFingerprint;
        cache.begun();
        busy = true;
        restarted = false;
        reply = null;
        return NFS4_OK;
    }

    /**
     * Ends the request, which has been answered.
     *
     * @param cached the whole reply, or null if it is not to be cached
     */
    public synchronized void complete(byte[] cached) {
        if (busy) {
            busy = false;
            cache.answered();
        }
        long kept = cached == null || cached.length <= SMALL_REPLY ? 0 : StateKind.REPLIES.octets() + cached.length;
        if (kept <= cache.longestReply() && recharge(kept)) {
            reply = cached;
        } else {
            recharge(0); // the client has not asked to cache it
        }
    }

    @GuardedBy("this")
    private boolean recharge(long octets) {
        if (!hasRoom) {
            if (!cache.recharge(charged, octets)) {
                return false;
            }
            charged = octets;
        }
        return true;
    }

    /** The reply to a retry, or null if it was not cached. */
    public synchronized byte[] reply() {
        return reply;
    }

    /** The sequence id of the last request. */
    synchronized int sequenceId() {
        return sequenceId;
    }

    /**
     * Retires the slot, which the client has stopped to use. If it uses the slot again, it may go on with its sequence
     * ids or start at 1: section 2.10.6.1 can be read either way.
     *
     * @param generation the generation of the cache that made the client stop
     * @return false if the slot has been used since: the client may lack the reply
     */
    synchronized boolean retire(int generation) {
        if (busy || toldGeneration >= generation) {
            return false;
        }
        recharge(0);
        reply = null;
        restarted = true;
        return true;
    }

    /** Records that the slot's reply tells the limits of the {@link SessionSlots} in that generation. */
    synchronized void tell(int generation) {
        toldGeneration = generation;
    }

    /** The generation that the slot's last reply has told. */
    synchronized int toldGeneration() {
        return toldGeneration;
    }
}
