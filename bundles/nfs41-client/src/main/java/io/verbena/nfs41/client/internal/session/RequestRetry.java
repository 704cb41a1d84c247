package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.link.ServerSilence;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.retry.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the retries of one request. A hard mount retries for ever. On a soft mount all retries together take at most
 * the major timeout of the mount ({@code timeo} times {@code retrans + 1}), whether the server does not reply, answers
 * NFS4ERR_DELAY, or takes the request for a repetition. After each answer there is time for at least one attempt. The
 * time for making a session and a grace period do not count; repeated losses of the session are bounded by the major
 * timeout from the first loss on.
 */
final class RequestRetry {
    /** How often a request is repeated in one session that takes it for a repetition; then another session is made. */
    private static final int REPETITIONS_IN_SESSION = 8;

    private final CompoundCaller caller;
    private final boolean bounded;
    private final boolean inRecovery;
    private final RetryPolicy policy;
    private final ServerSilence.Bound silence;
    /** All attempts of the request together. */
    private final RetryPolicy.Series whole;
    /** The part of the whole time that does not count; negative where more has passed. */
    private long spareNanos;
    /** The attempts without a reply since the last answer to this request. */
    private final RetryPolicy.Series unanswered;

    private int timeouts;
    /** The attempts that the server has put off, from the first on. */
    private RetryPolicy.Series postponed;
    /** The sessions that were lost under the request, from the first on. */
    private RetryPolicy.Series sessions;
    /** The attempts that the server took for repetitions, from the second on. */
    private RetryPolicy.Series repeated;

    private int repetitions;
    /** Whether a part of the time had passed before the request began. */
    private final boolean isContinued;

    private boolean answered;
    /** Why this host could not make the last attempt; null where it could. */
    private IOException ownLack;

    /**
     * @param inRecovery whether the request belongs to the recovery of a session. Such a request is bounded on a hard
     *     mount too; the recovery as a whole is repeated without a bound
     * @param spentNanos see {@link io.verbena.nfs41.client.internal.compound.CompoundRequest#spend}
     */
    RequestRetry(CompoundCaller caller, boolean inRecovery, long spentNanos) {
        this.caller = caller;
        this.inRecovery = inRecovery;
        this.bounded = caller.settings().isSoft() || inRecovery;
        this.policy = bounded ? caller.boundedRetries() : MountSettings.RETRIES;
        this.whole = caller.start(policy);
        this.unanswered = caller.start(policy);
        this.silence = caller.silence().bound();
        this.spareNanos = -spentNanos;
        this.isContinued = spentNanos > 0;
    }

    /** What has passed of the time of the request. */
    long spentNanos() {
        return whole.elapsedNanos() - spareNanos;
    }

    /** The server has answered: the attempts without a reply start over. */
    void renew() {
        unanswered.restart();
        timeouts = 0;
        answered = true;
        ownLack = null;
    }

    /** As {@link #renew}, after that long a wait for a session, which does not count. */
    void renewInSession(long waitedNanos) {
        spareNanos += waitedNanos;
        renew();
    }

    /** Whether the time for a reply is over. */
    boolean isOver() {
        return leftNanos() <= 0;
    }

    /** How long the request may still wait for a reply, in nanoseconds; {@link Long#MAX_VALUE} for ever. */
    long leftNanos() {
        if (!bounded) {
            return Long.MAX_VALUE;
        }
        long left = majorTimeoutNanos();
        if (answered || isContinued) {
            long ofAttempt = caller.settings().callTimeout().toNanos() - unanswered.elapsedNanos();
            left = Math.max(left, ofAttempt);
        }
        if (answered) {
            return left;
        }
        boolean shared = !inRecovery && caller.silence().isStill(silence);
        return shared ? Math.min(left, silence.endNanos() - caller.runtime().nanoTime()) : left;
    }

    /** What is left of the major timeout, where the request is bounded. */
    private long majorTimeoutNanos() {
        return whole.leftNanos() + spareNanos;
    }

    /** The timeout of the next attempt: {@code timeo}, or the time left. */
    Duration attemptTime() {
        Duration most = caller.settings().callTimeout();
        long left = leftNanos();
        return left < most.toNanos() ? Duration.ofNanos(Math.max(1, left)) : most;
    }

    /**
     * Whether to try again after an attempt without a reply. Time-outs are counted. Attempts that fail sooner, as where
     * the server refuses connections, may be repeated for as long as the time-outs would have taken.
     */
    boolean mayRetry(Throwable reason) {
        if (reason instanceof MissingServiceException) {
            return false; // the thrower has waited for the service for the whole swap timeout, which binds a hard mount
            // too
        }
        ownLack = reason instanceof LocalResourceException lack ? lack : null;
        if (!bounded) {
            return true;
        }
        if (reason instanceof CallTimedOutException) {
            timeouts++;
            if (timeouts > caller.settings().retrans()) {
                return false;
            }
        }
        return !isOver();
    }

    /** The pause before the next attempt, not beyond the end of the time. */
    long nextRetryMillis() {
        return atMost(leftNanos(), unanswered.nextPauseMillis());
    }

    private static long atMost(long leftNanos, long pauseMillis) {
        return Math.max(1, Math.min(pauseMillis, TimeUnit.NANOSECONDS.toMillis(leftNanos)));
    }

    /** Why the request must not wait for a slot any longer; null while it may wait. */
    IOException giveUpReason() {
        if (!isOver()) {
            return null;
        }
        return caller.silence().isStill(silence)
                ? caller.silence().failure()
                : new CallTimedOutException(
                        "no slot of the session became free within "
                                + caller.settings().majorTimeout().toSeconds()
                                + " s, as the requests before it have no answer; it was not sent",
                        false);
    }

    /** Why the request must not wait for a connection any longer; null while it may wait. */
    IOException unconnected() {
        if (!isOver()) {
            return null;
        }
        IOException lack = ownLack;
        return lack == null ? caller.silence().failure() : lack;
    }

    /** Why the request must not wait longer until its connection is bound to the session; null while it may wait. */
    IOException unbound() {
        if (!isOver()) {
            return null;
        }
        return caller.silence().isStill(silence)
                ? caller.silence().failure()
                : new CallTimedOutException(
                        "the server has not bound the connection to the session (BIND_CONN_TO_SESSION) within "
                                + caller.settings().majorTimeout().toSeconds() + " s",
                        false);
    }

    /**
     * Why the request must not wait for a session any longer; null while it may wait. It may wait while the server
     * answers: a restarted server needs a grace period.
     */
    IOException withoutSession() {
        ServerSilence silent = caller.silence();
        boolean isSilent = silent.isStill(silence)
                || silent.nanos() >= caller.settings().majorTimeout().toNanos();
        return isSilent ? unconnected() : null;
    }

    boolean isBounded() {
        return bounded;
    }

    /** Whether to wait out NFS4ERR_DELAY or NFS4ERR_GRACE. Time bounds the wait, not a count of attempts. */
    boolean mayWaitOut(Status status) {
        if (postponed == null) {
            postponed = caller.start(policy);
        }
        return status == Status.NFS4ERR_GRACE
                ? !bounded || postponed.elapsedNanos() < graceTimeout().toNanos()
                : hasTimeLeft();
    }

    boolean hasTimeLeft() {
        return !bounded || majorTimeoutNanos() > 0;
    }

    long nextWaitMillis(Status status) {
        long pause = postponed.nextPauseMillis();
        if (status == Status.NFS4ERR_GRACE) {
            spareNanos += TimeUnit.MILLISECONDS.toNanos(pause);
            return pause;
        }
        return bounded ? atMost(majorTimeoutNanos(), pause) : pause;
    }

    /** Whether to begin again a request that the server takes for a repetition of an answered one. */
    boolean mayRepeat() {
        return repetitions == 0 || hasTimeLeft();
    }

    /** Why a request ends that may be repeated, and whose replies were lost until its time was over. */
    IOException repliesLost() {
        return new CallTimedOutException(
                "the server executed the request, and its replies were lost, again and again for "
                        + caller.settings().majorTimeout().toSeconds() + " s (NFS4ERR_RETRY_UNCACHED_REP)",
                true);
    }

    /** The pause before a repetition; 0 the first time, when a lost reply explains the server's answer. */
    long nextRepetitionMillis() {
        repetitions++;
        if (repetitions == 1) {
            return 0;
        }
        if (repeated == null) {
            repeated = caller.start(policy);
        }
        long pause = repeated.nextPauseMillis();
        return bounded ? atMost(majorTimeoutNanos(), pause) : pause;
    }

    /** Whether to replace the session, once, as the server mistakes new requests for repetitions. */
    boolean wantsAnotherSession() {
        return repetitions == REPETITIONS_IN_SESSION && !inRecovery;
    }

    /** Whether to go on in another session after the loss of one. */
    boolean mayRestart() {
        if (sessions == null) {
            sessions = caller.start(policy);
        }
        return !sessions.isOver();
    }

    /** How long to wait out a grace period, which lasts about a lease (RFC 8881 section 8.4.2.1). */
    private Duration graceTimeout() {
        Duration majorTimeout = caller.settings().majorTimeout();
        Duration lease = Duration.ofSeconds(caller.sessions().leaseSeconds());
        return lease.compareTo(majorTimeout) > 0 ? lease : majorTimeout;
    }
}
