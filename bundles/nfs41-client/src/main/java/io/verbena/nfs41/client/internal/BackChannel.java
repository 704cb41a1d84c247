package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.BindConnToSession;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session that callbacks come in, and the connection that they come by: each connection made anew is bound to the
 * session again, and what the server says of the back channel's health is seen to. Thread safe; nothing here blocks.
 */
final class BackChannel {
    private static final Logger LOG = LoggerFactory.getLogger(BackChannel.class);
    private static final int PATH_DOWN = Sequence.CB_PATH_DOWN | Sequence.CB_PATH_DOWN_SESSION;
    private static final int TROUBLE = PATH_DOWN | Sequence.BACKCHANNEL_FAULT;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_DOUBLINGS = 6;

    private final Requester requester;
    private final Registration registration;
    private final LongSupplier nanoClock;
    private final Map<Session, CompletableFuture<Void>> binds = new ConcurrentHashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile Session served;
    private volatile boolean up;

    /** When the last bind ended: what is said in reply to a request from before it is out of date. */
    private volatile long boundNanos = System.nanoTime();

    /** Of what the server complained of, since it last did not for a while; written under the lock. */
    private volatile int repairs;

    private long nextRepairNanos;

    BackChannel(Requester requester, Registration registration, LongSupplier nanoClock) {
        this.requester = requester;
        this.registration = registration;
        this.nanoClock = nanoClock;
    }

    /**
     * Takes callbacks for a session from now on, and for no other. Called on the receive thread with CREATE_SESSION's
     * reply, before any callback in the session can come behind it.
     */
    Session serve(Session made) {
        served = made;
        up = made.hasBackChannel();
        return made;
    }

    /** The session that callbacks may come in, where that is its name, else null. */
    Session session(SessionId id) {
        Session present = served;
        return present != null && present.id().equals(id) && !present.isDead() ? present : null;
    }

    /** Whether callbacks can reach this client now, as far as is known: a delegation could be recalled. */
    boolean isUp() {
        Session present = served;
        return up && present != null && !present.isDead();
    }

    /** The connection is gone; until the next one is bound no callback comes. */
    void disconnected() {
        up = false;
    }

    /** There is another connection, which the server does not take for the session's back channel before it is bound. */
    void connected() {
        connections.incrementAndGet();
        up = false;
        Session present = served;
        if (present != null && present.hasBackChannel() && !present.isDead()) {
            tryToBind(present);
        }
    }

    private void tryToBind(Session session) {
        Futures.whenDone(bind(session), (done, thrown) -> {
            if (thrown != null) {
                // the server will say that the path is down, or the connection be made once more
                LOG.info("mount {}: no back channel: {}", requester.settings().name(), thrown.getMessage());
            }
        });
    }

    /** Binds the present connection to a session for both directions, once for all who want it. */
    CompletableFuture<Void> bind(Session session) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> underWay = binds.putIfAbsent(session, mine);
        if (underWay != null) {
            return underWay;
        }
        requester.later(() -> bindNow(session, mine), 0, thrown -> {
            binds.remove(session, mine);
            mine.completeExceptionally(thrown);
        });
        return mine;
    }

    private void bindNow(Session session, CompletableFuture<Void> promise) {
        int before = connections.get();
        try {
            requester.link().connect();
            before = connections.get(); // one that is made for this is no reason to do it again
            BindConnToSession.Direction direction = registration.bind(session.id());
            boundNanos = System.nanoTime();
            if (session == served) {
                up = session.hasBackChannel() && direction != BindConnToSession.Direction.FORE;
            }
            binds.remove(session, promise);
            promise.complete(null);
        } catch (IOException | RuntimeException e) {
            binds.remove(session, promise);
            if (e instanceof StatusException refused && isGone(refused.status())) {
                requester.sessions().lost(session, refused.status());
            }
            promise.completeExceptionally(e);
        }
        if (connections.get() != before && !session.isDead()) {
            connected(); // it may have been the connection before that was bound
        }
    }

    private static boolean isGone(Status status) {
        return status == Status.NFS4ERR_BADSESSION || status == Status.NFS4ERR_DEADSESSION;
    }

    /**
     * Takes what the server says in SEQUENCE's status flags (RFC 8881 section 18.46.3): a path that is down is bound
     * again, unless that is under way or has just been done; after a fault only another session helps. Either not at once
     * again where it did not help.
     *
     * @param sentNanos when the request was sent, on the clock of {@link System#nanoTime}
     */
    void sequenced(Session session, int statusFlags, long sentNanos) {
        int trouble = statusFlags & TROUBLE;
        if ((trouble == 0 && repairs == 0) || session != served || !session.hasBackChannel()) {
            return;
        }
        boolean fault = (trouble & Sequence.BACKCHANNEL_FAULT) != 0;
        boolean seenTo = binds.containsKey(session) || sentNanos - boundNanos < 0;
        if ((trouble != 0 && !fault && seenTo) || !isRepairDue(trouble != 0)) {
            return;
        }
        LOG.info(
                "mount {}: the server's path for callbacks is {}",
                requester.settings().name(),
                fault ? "at fault: making another session" : "down: binding it");
        up = false;
        if (fault) {
            requester.sessions().replace(session);
        } else {
            tryToBind(session);
        }
    }

    private synchronized boolean isRepairDue(boolean trouble) {
        long now = nanoClock.getAsLong();
        if (repairs > 0 && now - nextRepairNanos < 0) {
            return false;
        }
        if (!trouble) {
            repairs = 0;
            return false;
        }
        nextRepairNanos = now + (FIRST_PAUSE_NANOS << Math.min(repairs, MAX_DOUBLINGS));
        repairs++;
        return true;
    }
}
