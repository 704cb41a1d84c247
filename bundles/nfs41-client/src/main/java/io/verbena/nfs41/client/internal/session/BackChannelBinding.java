package io.verbena.nfs41.client.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.rpc.retry.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The back channel of the mount's session. Each new connection is bound to the session (BIND_CONN_TO_SESSION), and the
 * back channel is repaired when the server reports a fault of it. Thread safe; no method blocks.
 */
public final class BackChannelBinding {
    private static final Logger LOG = LoggerFactory.getLogger(BackChannelBinding.class);
    private static final int PATH_DOWN = Sequence.CB_PATH_DOWN | Sequence.CB_PATH_DOWN_SESSION;
    private static final int TROUBLE = PATH_DOWN | Sequence.BACKCHANNEL_FAULT;
    private static final RetryPolicy REPAIRS = RetryPolicy.doubling(Duration.ofSeconds(1), Duration.ofSeconds(64));

    private final CompoundCaller caller;
    private final ClientRegistration registration;
    private final LongSupplier nanoClock;
    private final Map<Session, CompletableFuture<Void>> binds = new ConcurrentHashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile Session served;
    private volatile boolean up;

    /** When the last bind ended: the status flags in replies to earlier requests are out of date. */
    private volatile long boundNanos;

    /** The repairs since the server last reported no fault for a while. */
    private final RetryPolicy.Series repairs;

    @GuardedBy("this")
    private long nextRepairNanos;

    /** @param nanoClock the clock of the pauses between repairs */
    public BackChannelBinding(CompoundCaller caller, ClientRegistration registration, LongSupplier nanoClock) {
        this.caller = caller;
        this.registration = registration;
        this.nanoClock = nanoClock;
        this.repairs = REPAIRS.start(nanoClock, () -> 0);
        this.boundNanos = caller.runtime().nanoTime();
    }

    /**
     * Takes callbacks for this session from now on, and for no other. The receive thread calls this with the reply to
     * CREATE_SESSION, before a callback in the session can arrive.
     */
    Session serve(Session made) {
        served = made;
        up = made.hasBackChannel();
        return made;
    }

    /** The session that callbacks may come in, if it has that id; else null. */
    public Session session(SessionId id) {
        Session present = served;
        return present != null && present.id().equals(id) && !present.isDead() ? present : null;
    }

    /**
     * Whether callbacks can reach this client now, as far as the client knows: the server could recall a delegation.
     */
    public boolean isUp() {
        Session present = served;
        return up && present != null && !present.isDead();
    }

    /** The connection is lost; no callback arrives until the next connection is bound. */
    void disconnected() {
        up = false;
    }

    /** There is a new connection. The server uses it for callbacks only once it is bound. */
    void connected() {
        connections.incrementAndGet();
        up = false;
        Session present = served;
        if (present != null && present.hasBackChannel() && !present.isDead()) {
            tryToBind(present);
        }
    }

    private void tryToBind(Session session) {
        Futures.whenDoneLogged(bind(session), (done, thrown) -> {
            if (thrown != null) {
                // the server will report that the path is down, or the connection will be lost and made again
                LOG.info("mount {}: no back channel: {}", caller.settings().name(), thrown.getMessage());
            }
        });
    }

    /** Binds the present connection to a session for both channels. Callers at the same time share one bind. */
    CompletableFuture<Void> bind(Session session) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> underWay = binds.putIfAbsent(session, mine);
        if (underWay != null) {
            return underWay;
        }
        caller.later(() -> bindNow(session, mine), 0, thrown -> {
            binds.remove(session, mine);
            mine.completeExceptionally(thrown);
        });
        return mine;
    }

    private void bindNow(Session session, CompletableFuture<Void> promise) {
        int before = connections.get();
        try {
            caller.link().connect();
            before = connections.get(); // a connection that this bind has made needs no second bind
            BindConnToSession.Direction direction = registration.bind(session.id());
            boundNanos = caller.runtime().nanoTime();
            if (session == served) {
                up = session.hasBackChannel() && direction != BindConnToSession.Direction.FORE;
            }
            binds.remove(session, promise);
            promise.complete(null);
        } catch (Throwable e) {
            binds.remove(session, promise);
            if (e instanceof StatusException refused && isGone(refused.status())) {
                caller.sessions().lost(session, refused.status());
            }
            promise.completeExceptionally(e);
        }
        if (connections.get() != before && !session.isDead()) {
            connected(); // the bind may have been of the connection before
        }
    }

    private static boolean isGone(Status status) {
        return status == Status.NFS4ERR_BADSESSION || status == Status.NFS4ERR_DEADSESSION;
    }

    /**
     * Takes the status flags of SEQUENCE (RFC 8881 section 18.46.3). A callback path that is down is bound again,
     * unless a bind is under way or has just ended; after a back channel fault another session is made. Repairs that do
     * not help are repeated after growing pauses.
     *
     * @param sentNanos when the request was sent, on the clock of the runtime
     */
    void sequenced(Session session, int statusFlags, long sentNanos) {
        int trouble = statusFlags & TROUBLE;
        if ((trouble == 0 && repairs.failures() == 0) || session != served || !session.hasBackChannel()) {
            return;
        }
        boolean fault = (trouble & Sequence.BACKCHANNEL_FAULT) != 0;
        boolean seenTo = binds.containsKey(session) || sentNanos - boundNanos < 0;
        if ((trouble != 0 && !fault && seenTo) || !isRepairDue(trouble != 0)) {
            return;
        }
        LOG.info(
                "mount {}: the server's path for callbacks is {}",
                caller.settings().name(),
                fault ? "at fault: making another session" : "down: binding it");
        up = false;
        if (fault) {
            caller.sessions().replace(session, "the server found the session's back channel at fault");
        } else {
            tryToBind(session);
        }
    }

    private synchronized boolean isRepairDue(boolean trouble) {
        long now = nanoClock.getAsLong();
        if (repairs.failures() > 0 && now - nextRepairNanos < 0) {
            return false;
        }
        if (!trouble) {
            repairs.restart();
            return false;
        }
        nextRepairNanos = now + repairs.nextPauseNanos();
        return true;
    }
}
