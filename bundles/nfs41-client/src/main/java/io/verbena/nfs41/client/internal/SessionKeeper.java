package io.verbena.nfs41.client.internal;

import io.verbena.nfs.MountState;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the mount's session, and another one when the server has lost it; one attempt at a time, on a thread of the
 * worker's. Requests wait for {@link #session()}. Thread safe.
 */
final class SessionKeeper implements ConnectionObserver {
    private static final Logger LOG = LoggerFactory.getLogger(SessionKeeper.class);

    private final Requester requester;
    private final ScheduledExecutorService worker;
    private final Registration registration;
    private final Root root;
    private final OpenStates opens;
    private final Map<Session, CompletableFuture<Void>> binds = new ConcurrentHashMap<>();
    private final AtomicBoolean renewing = new AtomicBoolean();
    private volatile long lastSequencedNanos = System.nanoTime();

    // guarded by this
    private CompletableFuture<Session> pending;
    private boolean everMounted;
    private MountState state = MountState.CONNECTING;
    private IOException failure;

    // belong to the attempt that is under way
    private boolean registered;
    private ExchangeId.Result client;
    private int createSequence;

    SessionKeeper(
            Requester requester,
            ScheduledExecutorService worker,
            Registration registration,
            Root root,
            OpenStates opens) {
        this.requester = requester;
        this.worker = worker;
        this.registration = registration;
        this.root = root;
        this.opens = opens;
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

    /** The session that can be used now, or null. */
    synchronized Session present() {
        return pending != null && pending.isDone() && !pending.isCompletedExceptionally() ? pending.join() : null;
    }

    /** The server does not know the session, or will not go on with it. Without effect for one known to be lost. */
    void lost(Session session, Status why) {
        synchronized (this) {
            if (session != present()) {
                return;
            }
            LOG.info(
                    "mount {}: session lost ({}), making another",
                    requester.settings().name(),
                    why);
            failure = new IOException("the server has given up the session: " + why);
            pending = null;
        }
        session.kill();
        // not left to whoever comes next: until then the lease of open files could run out
        var unused = session();
    }

    private void attempt(CompletableFuture<Session> promise, long delayMillis) {
        requester.later(() -> establish(promise, new Retry()), delayMillis, promise::completeExceptionally);
    }

    private void establish(CompletableFuture<Session> promise, Retry retry) {
        Session made;
        try {
            made = connect();
        } catch (IOException | RuntimeException e) {
            failed(promise, retry, e);
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
    }

    private void failed(CompletableFuture<Session> promise, Retry retry, Exception e) {
        IOException reason = e instanceof IOException io ? Errors.ofMount(requester.settings(), io) : asIOException(e);
        boolean again;
        synchronized (this) {
            if (state == MountState.UNMOUNTED) {
                return;
            }
            failure = reason;
            boolean soft = requester.settings().isSoft()
                    && retry.elapsedNanos() >= requester.settings().patience().toNanos();
            again = everMounted && !soft && !requester.isClosed();
            state = again ? MountState.RECOVERING : MountState.FAILED;
        }
        LOG.warn("mount {}: {}", requester.settings().name(), reason.getMessage());
        if (again) {
            long delay = retry.nextDelayMillis();
            requester.later(() -> establish(promise, retry), delay, promise::completeExceptionally);
        } else {
            promise.completeExceptionally(reason);
        }
    }

    private static IOException asIOException(Exception e) {
        return new IOException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
    }

    private Session connect() throws IOException {
        Session session = makeSession();
        try {
            opens.reclaim(requester, session, client.clientId(), registered);
            root.find(requester, session);
            registered = false;
            lastSequencedNanos = System.nanoTime();
            return session;
        } catch (IOException | RuntimeException e) {
            session.kill();
            boolean unknown = e instanceof StatusException status && status.opcode() == Opcode.SEQUENCE;
            if (!unknown && !(e instanceof RpcException)) {
                discard(session);
            }
            throw e;
        }
    }

    /** The server answers and keeps a session that nobody will use: the next attempt makes another. */
    private void discard(Session session) {
        try {
            registration.destroySession(session.id());
        } catch (IOException e) {
            LOG.debug(
                    "mount {}: session not destroyed: {}", requester.settings().name(), e.getMessage());
        }
    }

    private Session makeSession() throws IOException {
        if (client != null) {
            try {
                return createSession();
            } catch (StatusException e) {
                LOG.debug(
                        "mount {}: {}, registering again", requester.settings().name(), e.getMessage());
            }
        }
        ExchangeId.Result before = client;
        client = registration.exchangeId();
        createSequence = client.sequenceId();
        boolean confirmed = (client.flags() & ExchangeId.CONFIRMED_R) != 0;
        boolean same = before != null && confirmed && before.clientId() == client.clientId();
        registered |= !same;
        return createSession();
    }

    private Session createSession() throws IOException {
        CreateSession.Result made = registration.createSession(client.clientId(), createSequence);
        createSequence++;
        return new Session(
                made.sessionId(), made.foreChannel(), requester.settings().slots());
    }

    /** A reply came in the session. Called on the transport's receive thread. */
    void sequenced(Session session, Sequence.Result sequence) {
        lastSequencedNanos = System.nanoTime();
        session.slots().target(sequence.targetHighestSlotId());
        int revoked = Sequence.EXPIRED_ALL_STATE_REVOKED
                | Sequence.EXPIRED_SOME_STATE_REVOKED
                | Sequence.ADMIN_STATE_REVOKED
                | Sequence.RECALLABLE_STATE_REVOKED;
        if ((sequence.statusFlags() & revoked) != 0) {
            opens.suspect();
        }
    }

    long idleNanos() {
        return System.nanoTime() - lastSequencedNanos;
    }

    /** Binds the present connection to a session that the server does not take it for yet. */
    CompletableFuture<Void> bind(Session session) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> underWay = binds.putIfAbsent(session, mine);
        if (underWay != null) {
            return underWay;
        }
        requester.later(() -> bindNow(session, mine), 0, mine::completeExceptionally);
        return mine;
    }

    private void bindNow(Session session, CompletableFuture<Void> promise) {
        try {
            registration.bind(session.id());
            binds.remove(session, promise);
            promise.complete(null);
        } catch (IOException | RuntimeException e) {
            binds.remove(session, promise);
            promise.completeExceptionally(e);
        }
    }

    /**
     * A request on the slot was given up without a reply. An empty one with the same number settles the matter, whether
     * the server takes it for a repetition or not; until then nobody gets the slot.
     */
    void doubt(Session session, Slot slot) {
        if (slot == null || session.isDead() || requester.isClosed()) {
            return;
        }
        new SlotProbe(requester, session, slot).start();
    }

    @Override
    public void lost(Throwable cause) {
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
    public synchronized void reconnected(int attempt) {
        if (state == MountState.RECOVERING && present() != null) {
            state = MountState.MOUNTED;
            failure = null;
        }
    }

    /**
     * Tells the server that the client is alive, and finds out whether the server is; once at a time, since while the
     * server is away each further renewal would hold a slot.
     */
    void renew() {
        if (present() == null || !renewing.compareAndSet(false, true)) {
            return;
        }
        Futures.whenDone(requester.call(new Renewal()), (done, thrown) -> {
            renewing.set(false);
            if (thrown == null) {
                reconnected(0);
            } else {
                LOG.debug(
                        "mount {}: lease not renewed: {}", requester.settings().name(), thrown.getMessage());
            }
        });
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
        return client;
    }

    /** Ends session and client on the server, as far as it can be reached within the bound. */
    void close(long timeoutNanos) {
        TransportLostException gone = new TransportLostException("the file system has been unmounted", null);
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
            goodbye(last, timeoutNanos);
            last.kill();
        }
        requester.close();
        if (waiting != null) {
            waiting.completeExceptionally(gone);
        }
    }

    private void goodbye(Session last, long timeoutNanos) {
        if (requester.link().current() == null) {
            return; // the lease will run out
        }
        CompletableFuture<Void> done = CompletableFuture.runAsync(
                () -> {
                    try {
                        registration.destroySession(last.id());
                        registration.destroyClientId(client.clientId());
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                worker);
        try {
            Blocking.await(done, timeoutNanos);
        } catch (IOException e) {
            LOG.info(
                    "mount {}: the server was not told of the unmount: {}",
                    requester.settings().name(),
                    e.getMessage());
        }
    }
}
