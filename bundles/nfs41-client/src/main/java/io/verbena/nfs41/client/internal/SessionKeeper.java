package io.verbena.nfs41.client.internal;

import io.verbena.nfs.MountState;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the mount's session, and another one when the server has lost it; one attempt at a time, on a thread of the
 * worker's. Requests wait for {@link #session()}. Thread safe.
 */
final class SessionKeeper implements ConnectionObserver {
    private static final Logger LOG = LoggerFactory.getLogger(SessionKeeper.class);

    /** From when a service below the transport was found missing until it is looked for again. */
    private static final long MISSING_PAUSE_MILLIS = 1_000;

    private final Requester requester;
    private final Farewell farewell;
    private final SessionMaker maker;
    private final Recovery recovery;
    private final Root root;
    private final OpenStates opens;
    private final BackChannel backChannel;
    private final Doubts doubts;
    private final AtomicBoolean renewing = new AtomicBoolean();
    /** When the last request was sent that has a reply. */
    private final AtomicLong lastRenewedNanos = new AtomicLong(System.nanoTime());

    private final CompletableFuture<Void> mounted = new CompletableFuture<>();

    // guarded by this
    private CompletableFuture<Session> pending;
    private boolean everMounted;
    private MountState state = MountState.CONNECTING;
    private IOException failure;

    SessionKeeper(
            Requester requester,
            ScheduledExecutorService worker,
            Registration registration,
            Root root,
            OpenStates opens,
            BackChannel backChannel) {
        this.requester = requester;
        this.maker = new SessionMaker(requester, registration, backChannel);
        this.recovery = new Recovery(requester, maker, root, opens);
        this.farewell = new Farewell(requester, maker, worker);
        this.root = root;
        this.opens = opens;
        this.backChannel = backChannel;
        this.doubts = new Doubts(requester);
    }

    /** The mount goes on where one before was mounted: it keeps on trying as one that has lost its session. */
    synchronized void succeed() {
        everMounted = true;
    }

    synchronized boolean wasMounted() {
        return everMounted;
    }

    /** The session, once there is one; a failed first attempt is made again. */
    synchronized CompletableFuture<Session> session() {
        if (pending == null || (pending.isCompletedExceptionally() && state != MountState.UNMOUNTED)) {
            pending = new CompletableFuture<>();
            state = everMounted ? MountState.RECOVERING : MountState.CONNECTING;
            attempt(pending, 0);
        }
        return pending;
    }

    /** Complete once there was a session for the first time; never fails. */
    CompletableFuture<Void> mounted() {
        return mounted;
    }

    /** The session that can be used now, or null. */
    synchronized Session present() {
        return pending != null && pending.isDone() && !pending.isCompletedExceptionally() ? pending.join() : null;
    }

    /** The server does not know the session, or will not go on with it. Without effect for one known to be lost. */
    void lost(Session session, Status why) {
        if (forget(session, "the server has given up the session: " + why)) {
            requester.meters().sessionLost();
            session.kill();
            // not left to whoever comes next: until then the lease of open files could run out
            var unused = session();
        }
    }

    /**
     * The server has lost its way in the session's back channel: another session is made, and this one ended once what
     * is under way in it has come to its end (RFC 8881 section 18.46.3, SEQ4_STATUS_BACKCHANNEL_FAULT).
     */
    void replace(Session session) {
        if (forget(session, "the server found the session's back channel at fault")) {
            session.slots()
                    .drain(() -> requester.later(
                            () -> {
                                maker.discard(session);
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
        LOG.info("mount {}: {}, making another", requester.settings().name(), why);
        failure = new IOException(why);
        pending = null;
        return true;
    }

    private void attempt(CompletableFuture<Session> promise, long delayMillis) {
        requester.later(() -> establish(promise, new Retry()), delayMillis, promise::completeExceptionally);
    }

    private void establish(CompletableFuture<Session> promise, Retry retry) {
        int before = requester.link().timesLeft();
        Session made;
        try {
            made = recovery.make();
        } catch (IOException | RuntimeException e) {
            failed(promise, retry, e, requester.link().timesLeft() != before);
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
        promise.complete(made);
        mounted.complete(null);
    }

    /**
     * @param swapped whether the transport was replaced meanwhile
     */
    private void failed(CompletableFuture<Session> promise, Retry retry, Exception e, boolean swapped) {
        IOException reason = Errors.ofMount(requester.settings(), e);
        boolean missing = reason instanceof MissingServiceException;
        boolean again;
        boolean known;
        synchronized (this) {
            if (state == MountState.UNMOUNTED) {
                return;
            }
            known = failure != null && Objects.equals(failure.getMessage(), reason.getMessage());
            failure = reason;
            boolean soft = requester.settings().isSoft()
                    && retry.elapsedNanos() >= requester.settings().patience().toNanos();
            again = (everMounted || swapped || Recovery.isForgotten(e)) && !missing && !soft && !requester.isClosed();
            state = !again ? MountState.FAILED : everMounted ? MountState.RECOVERING : MountState.CONNECTING;
        }
        if (!known) {
            LOG.warn("mount {}: {}", requester.settings().name(), reason.getMessage());
        }
        if (again) {
            long delay = retry.nextDelayMillis();
            requester.later(() -> establish(promise, retry), delay, promise::completeExceptionally);
            return;
        }
        promise.completeExceptionally(reason);
        if (missing && !requester.link().lacksTransport()) {
            // a service below the transport: nobody tells when it comes
            requester.later(() -> tryAgain(promise), MISSING_PAUSE_MILLIS, thrown -> {});
        }
    }

    /** Who waited was told that it failed; the mount goes on by itself when it can. */
    private void tryAgain(CompletableFuture<Session> failed) {
        synchronized (this) {
            if (pending != failed) {
                return; // somebody has tried already
            }
        }
        CompletableFuture<Session> unused = session();
    }

    /**
     * A reply came in the session. Called on the transport's receive thread.
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
            opens.suspect();
        }
        backChannel.sequenced(session, sequence.statusFlags(), sentNanos);
    }

    /** How long ago the lease was renewed for certain. */
    long idleNanos() {
        return System.nanoTime() - lastRenewedNanos.get();
    }

    BackChannel backChannel() {
        return backChannel;
    }

    /** A request on the slot was given up without a reply. */
    void doubt(Session session, Slot slot) {
        if (!session.isDead() && !requester.isClosed()) {
            doubts.add(session, slot);
        }
    }

    /** Sees to those who wait for a slot; called from time to time. */
    void look() {
        doubts.look();
        Session session = present();
        if (session != null) {
            session.slots().dismiss(SlotTable.Waiter::impatience);
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
        doubts.connected();
        reached();
    }

    private synchronized void reached() {
        if (state == MountState.RECOVERING && present() != null) {
            state = MountState.MOUNTED;
            failure = null;
        }
    }

    /**
     * Tells the server that the client is alive, and finds out whether the server is; once at a time, and not as long as
     * a request before has left a slot in doubt, since while the server is away each further renewal would hold a slot.
     */
    void renew() {
        if (!doubts.isEmpty()) {
            doubts.look(); // which renews the lease as well
            return;
        }
        if (present() == null || !renewing.compareAndSet(false, true)) {
            return;
        }
        Futures.whenDone(requester.call(new Renewal()), (done, thrown) -> {
            renewing.set(false);
            if (thrown == null) {
                reached();
            } else {
                unreachable(thrown);
            }
        });
    }

    /** Nothing came of a try to reach the server. */
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
            LOG.warn("mount {}: {}", requester.settings().name(), thrown.getMessage());
        } else {
            LOG.debug("mount {}: lease not renewed: {}", requester.settings().name(), thrown.getMessage());
        }
    }

    int leaseSeconds() {
        return root.leaseSeconds();
    }

    synchronized MountState state() {
        return state;
    }

    synchronized Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /** What the server said of itself, or null before that. */
    ExchangeId.Result client() {
        return maker.client();
    }

    /** Ends session and client on the server, as far as it can be reached within the bound. */
    void close(long timeoutNanos) {
        IOException gone = requester.lifetime().refusal(false);
        Session last;
        CompletableFuture<Session> waiting;
        synchronized (this) {
            last = present();
            waiting = pending;
            state = MountState.UNMOUNTED;
            failure = null;
            pending = CompletableFuture.failedFuture(gone);
        }
        if (last != null) {
            farewell.say(last, timeoutNanos);
            last.kill();
        }
        requester.close();
        if (waiting != null) {
            waiting.completeExceptionally(gone);
        }
    }
}
