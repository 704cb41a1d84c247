package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Status;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.MissingServiceException;
import java.io.IOException;
import java.time.Duration;

/** How long one request goes on trying: without an end on a hard mount, for as long as was given on a soft one. */
final class Patience {
    private final Requester requester;
    private final boolean bounded;
    /** Of attempts without a reply, from the first of them on; null before that. */
    private Retry retry;

    private int timeouts;
    /** Of attempts that the server answered with "not now", from the first such answer on. */
    private Retry postponed;

    /**
     * @param inRecovery whether the request belongs to the recovery of a session, which is bounded in any case: what
     *     goes on without an end is the recovery as a whole
     */
    Patience(Requester requester, boolean inRecovery) {
        this.requester = requester;
        this.bounded = requester.settings().isSoft() || inRecovery;
    }

    /** The request is about to be sent, not for the first time perhaps. */
    void attempt() {
        if (retry == null) {
            retry = new Retry();
        }
    }

    /** The server has answered, or the request goes on in another session: what comes is a new matter. */
    void renew() {
        retry = null;
        timeouts = 0;
    }

    /**
     * Whether to try again after an attempt without a reply. Time-outs are counted; what fails sooner than a call takes,
     * as where connections are refused, may be tried for as long as those would have taken.
     */
    boolean mayRetry(Throwable reason) {
        if (reason instanceof MissingServiceException) {
            return false; // even a hard mount waits only so long for a service of this host's, and has: who says so did
        }
        if (!bounded) {
            return true;
        }
        if (reason instanceof CallTimedOutException) {
            timeouts++;
            return timeouts <= requester.settings().retrans();
        }
        return retry.elapsedNanos() < requester.settings().patience().toNanos();
    }

    long nextRetryMillis() {
        return retry.nextDelayMillis();
    }

    /** Why not to wait for a slot any longer, after so long; null where it may go on. */
    IOException impatience(long waitedNanos) {
        Duration most = requester.settings().patience();
        return bounded && waitedNanos >= most.toNanos()
                ? new CallTimedOutException(
                        "no slot of the session became free within " + most.toSeconds()
                                + " s, as the requests before it have no answer; it was not sent",
                        false)
                : null;
    }

    /** A server that answers is there: it is time that bounds how long it may put off, not a count of attempts. */
    boolean mayWaitOut(Status status) {
        if (postponed == null) {
            postponed = new Retry();
        }
        return !bounded || postponed.elapsedNanos() < patienceWith(status).toNanos();
    }

    long nextWaitMillis() {
        return postponed.nextDelayMillis();
    }

    /** A grace period lasts about a lease (RFC 8881 section 8.4.2.1). */
    private Duration patienceWith(Status status) {
        Duration patience = requester.settings().patience();
        Duration lease = Duration.ofSeconds(requester.sessions().leaseSeconds());
        return status == Status.NFS4ERR_GRACE && lease.compareTo(patience) > 0 ? lease : patience;
    }
}
