package io.verbena.nfs41.client.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.MountState;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpc.retry.RetryPolicy;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the mount's session: makes the first one, and another when the server has lost it. One attempt is made at a
 * time, on a worker thread of the mount. Requests wait for {@link #session()}. Thread safe.
 */
public final class SessionKeeper implements ConnectionObserver {
    private static final Logger LOG = LoggerFactory.getLogger(SessionKeeper.class);

    /** The pause before a missing service below the transport is looked for again. */
    private static final long MISSING_PAUSE_MILLIS = 1_000;

    private final CompoundCaller caller;
    private final SessionTeardown teardown;
    private final SessionFactory factory;
    private final SessionRecovery recovery;
    private final ExportRoot root;
    private final ClientState held;
    private final BackChannelBinding backChannel;
    private final UncertainSlots uncertain;
    private final SessionTrunk trunk;
    private final AtomicBoolean renewing = new AtomicBoolean();
    /** When the latest of the answered requests was sent. */
    private final AtomicLong lastRenewedNanos;

    private final CompletableFuture<Void> mounted = new CompletableFuture<>();

    /** The attempts to make a session. Their pauses start over after a session that was useful for long enough. */
    private final RetryPolicy.Series attempts;

    @GuardedBy("this")
    private CompletableFuture<Session> pending;

    @GuardedBy("this")
    private long pauseMillis;

    @GuardedBy("this")
    private boolean everMounted;

    @GuardedBy("this")
    private MountState state = MountState.CONNECTING;

    @GuardedBy("this")
    private IOException failure;

    public SessionKeeper(
            CompoundCaller caller,
            Executor worker,
            ClientRegistration registration,
            ExportRoot root,
            ClientState held,
            BackChannelBinding backChannel) {
        this.caller = caller;
        this.factory = new SessionFactory(caller, registration, backChannel);
        this.recovery = new SessionRecovery(caller, factory, root, held);
        this.teardown = new SessionTeardown(caller, factory, worker);
        this.root = root;
        this.held = held;
        this.backChannel = backChannel;
        this.uncertain = new UncertainSlots(caller);
        this.trunk = new SessionTrunk(caller, registration);
        this.lastRenewedNanos = new AtomicLong(caller.runtime().nanoTime());
        this.attempts = caller.start(MountSettings.RETRIES);
    }

    /** The mount takes the place of a mount that was mounted: it retries as after the loss of a session. */
    public synchronized void takeOver() {
        everMounted = true;
    }

    public synchronized boolean wasMounted() {
        return everMounted;
    }

    /** The session, as soon as there is one. Starts another attempt where the last one has failed. */
    public synchronized CompletableFuture<Session> session() {
        if (pending == null || (pending.isCompletedExceptionally() && state != MountState.UNMOUNTED)) {
            pending = new CompletableFuture<>();
            state = everMounted ? MountState.RECOVERING : MountState.CONNECTING;
            attempt(pending, pauseMillis);
            pauseMillis = 0;
        }
        return pending;
    }

    /** Completes with the first session; never fails. */
    public CompletableFuture<Void> mounted() {
        return mounted;
    }

    /** The session that can be used now, or null. */
    public synchronized Session present() {
        return pending != null && pending.isDone() && !pending.isCompletedExceptionally() ? pending.getNow(null) : null;
    }

    /** The server has lost or given up the session. Without effect where the loss is known already. */
    public void lost(Session session, Status why) {
        if (forget(session, "the server has given up the session: " + why)) {
            caller.meters().sessionLost();
            session.kill();
            // at once, not at the next request: until then the lease of open files could expire
            var unused = session();
        }
    }

    /**
     * Replaces a session that the server no longer handles correctly, for example after SEQ4_STATUS_BACKCHANNEL_FAULT
     * (RFC 8881 section 18.46.3). The old session ends once its requests have ended.
     *
     * @param why for the log
     */
    public void replace(Session session, String why) {
        if (forget(session, why)) {
            session.slots()
                    .drain(() -> caller.later(
                            () -> {
                                factory.discard(session);
                                session.kill();
                            },
                            0,
                            thrown -> session.kill()));
            var unused = session();
        }
    }

    private synchronized boolean forget(Session session, String why) {
        if (session != present()) {
            return false;
        }
        LOG.info("mount {}: {}, making another", caller.settings().name(), why);
        failure = new IOException(why);
        pending = null;
        // a server that gives up each session as soon as it is made gets a pause before the next CREATE_SESSION
        long useful = session.usefulNanos();
        pauseMillis = useful > 0 && attempts.succeeded(useful) ? 0 : attempts.nextPauseMillis();
        return true;
    }

    private void attempt(CompletableFuture<Session> promise, long delayMillis) {
        long begunNanos = caller.runtime().nanoTime();
        caller.later(() -> establish(promise, begunNanos), delayMillis, promise::completeExceptionally);
    }

    /** @param begunNanos when the first attempt for that promise began */
    private void establish(CompletableFuture<Session> promise, long begunNanos) {
        int before = caller.link().timesLeft();
        Session made;
        try {
            made = recovery.make();
        } catch (Throwable e) { // an Error too: the mount goes on by itself
            failed(promise, begunNanos, e, caller.link().timesLeft() != before);
            return;
        }
        synchronized (this) {
            if (state == MountState.UNMOUNTED) {
                return;
            }
            everMounted = true;
            state = MountState.MOUNTED;
            failure = null;
        }
        trunk.begin(made);
        promise.complete(made);
        mounted.complete(null);
    }

    /** @param swapped whether the transport was replaced meanwhile */
    private void failed(CompletableFuture<Session> promise, long begunNanos, Throwable e, boolean swapped) {
        IOException reason = Errors.ofMount(caller.settings(), e);
        boolean missing = reason instanceof MissingServiceException;
        boolean again;
        boolean known;
        synchronized (this) {
            if (state == MountState.UNMOUNTED) {
                return;
            }
            known = failure != null && Objects.equals(failure.getMessage(), reason.getMessage());
            failure = reason;
            boolean soft = caller.settings().isSoft()
                    && caller.runtime().nanoTime() - begunNanos
                            >= caller.settings().majorTimeout().toNanos();
            again = (everMounted || swapped || SessionRecovery.isForgotten(e))
                    && !missing
                    && !soft
                    && !caller.isClosed();
            state = !again ? MountState.FAILED : everMounted ? MountState.RECOVERING : MountState.CONNECTING;
        }
        if (!known) {
            LOG.warn("mount {}: {}", caller.settings().name(), reason.getMessage());
        }
        if (again) {
            long pause = attempts.nextPauseMillis();
            caller.later(() -> establish(promise, begunNanos), pause, promise::completeExceptionally);
            return;
        }
        promise.completeExceptionally(reason);
        if (missing && !caller.link().lacksTransport()) {
            // a service below the transport: no event tells when it comes back
            caller.later(() -> tryAgain(promise), MISSING_PAUSE_MILLIS, thrown -> {});
        }
    }

    /** The requests that waited have failed. The mount tries again by itself. */
    private void tryAgain(CompletableFuture<Session> failed) {
        synchronized (this) {
            if (pending != failed) {
                return; // somebody has tried already
            }
        }
        CompletableFuture<Session> unused = session();
    }

    /**
     * Takes the SEQUENCE result of a reply. Called on the connection's receive thread.
     *
     * @param sentNanos when the request was sent: the server may have renewed the lease as early as that
     */
    void sequenced(Session session, Sequence.Result sequence, long sentNanos) {
        lastRenewedNanos.accumulateAndGet(sentNanos, (last, sent) -> sent - last > 0 ? sent : last);
        session.slots().target(sequence.targetHighestSlotId());
        int revoked = Sequence.EXPIRED_ALL_STATE_REVOKED
                | Sequence.EXPIRED_SOME_STATE_REVOKED
                | Sequence.ADMIN_STATE_REVOKED
                | Sequence.RECALLABLE_STATE_REVOKED;
        if ((sequence.statusFlags() & revoked) != 0) {
            held.suspect();
        }
        backChannel.sequenced(session, sequence.statusFlags(), sentNanos);
    }

    /** The time since the last certain renewal of the lease, in nanoseconds. */
    public long idleNanos() {
        return caller.runtime().nanoTime() - lastRenewedNanos.get();
    }

    BackChannelBinding backChannel() {
        return backChannel;
    }

    /**
     * Takes a slot on which a request was given up without a reply.
     *
     * @return as {@link UncertainSlots#add}
     */
    CompletableFuture<Void> markUncertain(Session session, Slot slot, ProbedRequest request) {
        return session.isDead() || caller.isClosed()
                ? CompletableFuture.completedFuture(null)
                : uncertain.add(session, slot, request);
    }

    /** Whether requests wait that {@link #dismissOverdue} may have to dismiss. Does not block. */
    boolean hasWaiting() {
        Session session = present();
        return !uncertain.isEmpty()
                || !caller.boundedWaits().isEmpty()
                || (session != null && session.slots().waiting() > 0);
    }

    /** Dismisses the requests that have waited too long for a session, a connection or a slot. Called periodically. */
    void dismissOverdue() {
        uncertain.probeParked();
        caller.boundedWaits().dismissOverdue();
        Session session = present();
        if (session != null) {
            session.slots().dismiss(SlotTable.Waiter::giveUpReason);
        }
    }

    @Override
    public void lost(Throwable cause) {
        backChannel.disconnected();
        synchronized (this) {
            if (state != MountState.MOUNTED) {
                return;
            }
            state = MountState.RECOVERING;
            failure = new TransportLostException(
                    "the connection was lost" + (cause == null ? "" : ": " + cause.getMessage()), cause);
        }
        renew();
    }

    @Override
    public void reconnected(int attempt) {
        backChannel.connected();
        uncertain.connected();
        trunk.fill();
        reached();
    }

    private synchronized void reached() {
        if (state == MountState.RECOVERING && present() != null) {
            state = MountState.MOUNTED;
            failure = null;
        }
    }

    /**
     * Renews the lease, which also finds out whether the server answers. One renewal runs at a time, and none while a
     * slot is uncertain: while the server is away, each further renewal would take a slot.
     */
    public void renew() {
        if (!uncertain.isEmpty()) {
            uncertain.probeParked(); // which renews the lease as well
            return;
        }
        if (present() == null || !renewing.compareAndSet(false, true)) {
            return;
        }
        Futures.whenDoneElse(
                Futures.begin(() -> caller.call(new LeaseRenewalRequest())),
                (done, thrown) -> {
                    renewing.set(false);
                    if (thrown == null) {
                        reached();
                    } else {
                        unreachable(thrown);
                    }
                },
                thrown -> renewing.set(false));
    }

    /** An attempt to reach the server has failed. */
    void unreachable(Throwable thrown) {
        boolean news;
        synchronized (this) {
            news = state == MountState.RECOVERING
                    && thrown instanceof MissingServiceException
                    && !(failure instanceof MissingServiceException);
            if (news) {
                failure = (MissingServiceException) thrown;
            }
        }
        if (news) {
            LOG.warn("mount {}: {}", caller.settings().name(), thrown.getMessage());
        } else {
            LOG.debug("mount {}: lease not renewed: {}", caller.settings().name(), thrown.getMessage());
        }
    }

    public int leaseSeconds() {
        return root.leaseSeconds();
    }

    public synchronized MountState state() {
        return state;
    }

    public synchronized Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /** The result of EXCHANGE_ID, or null before the first. */
    public ExchangeId.Result client() {
        return factory.client();
    }

    /** Ends the session and the client id on the server, as far as the server can be reached within the bound. */
    public void close(long timeoutNanos) {
        IOException gone = caller.lifetime().refusal(false);
        Session last;
        CompletableFuture<Session> waiting;
        synchronized (this) {
            last = present();
            waiting = pending;
            state = MountState.UNMOUNTED;
            failure = null;
            pending = CompletableFuture.failedFuture(gone);
        }
        trunk.end();
        if (last != null) {
            teardown.run(last, timeoutNanos);
            last.kill();
        }
        caller.close();
        if (waiting != null) {
            waiting.completeExceptionally(gone);
        }
    }
}
