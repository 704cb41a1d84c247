package io.verbena.nfs41.client.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.link.ExtraConnections.Departure;
import io.verbena.nfs41.client.internal.link.LinkConnection;
import io.verbena.rpc.ConnectionObserver;
import io.verbena.rpc.retry.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The further connections of the mount's session (session trunking, RFC 8881 section 2.10.5, by one address): makes
 * them and binds them (BIND_CONN_TO_SESSION), and makes another one where one is lost. They carry requests; callbacks
 * come by the first connection. Where the server takes fewer, the mount goes on with those. Thread safe; connections
 * are made on worker threads.
 */
final class SessionTrunk {
    private static final Logger LOG = LoggerFactory.getLogger(SessionTrunk.class);
    static final RetryPolicy ATTEMPTS = RetryPolicy.doubling(Duration.ofMillis(50), Duration.ofSeconds(16))
            .withJitter(0.5)
            .withSettled(Duration.ofSeconds(5));

    private final CompoundCaller caller;
    private final ClientRegistration registration;
    private final int wanted;
    private final RetryPolicy.Series attempts;

    /** How many further connections the server takes in the present session, as far as is known. */
    @GuardedBy("this")
    private int most;

    /** Whether the log tells that connections are missing. */
    private volatile boolean told;

    @GuardedBy("this")
    private Session session;

    @GuardedBy("this")
    private boolean filling;

    /** Something has changed since the thread that makes connections has looked. */
    @GuardedBy("this")
    private boolean again;

    SessionTrunk(CompoundCaller caller, ClientRegistration registration) {
        this.caller = caller;
        this.registration = registration;
        this.wanted = caller.settings().connections() - 1;
        this.attempts = caller.start(ATTEMPTS);
        caller.link().extras().whenGone(why -> fill(why == Departure.LOST));
    }

    /** The mount has this session now. Ends the connections of the session before, and makes those of this one. */
    void begin(Session made) {
        if (wanted > 0) {
            caller.link().extras().dropAll();
            told = false;
            synchronized (this) {
                session = made;
                most = wanted;
            }
            attempts.restart();
            fill();
        }
    }

    /** Makes no more connections, and ends those that are there. */
    void end() {
        synchronized (this) {
            session = null;
        }
        caller.link().extras().closeAll();
    }

    /** Makes the connections that are missing, on a worker thread. Any thread; does not block. */
    void fill() {
        fill(false);
    }

    /** @param pauses whether a pause comes before; connections that are lost together have one pause together */
    private void fill(boolean pauses) {
        synchronized (this) {
            if (session == null) {
                return;
            }
            if (filling) {
                again = true;
                return;
            }
            filling = true;
        }
        later(pauses ? attempts.nextPauseMillis() : 0);
    }

    private void later(long millis) {
        caller.later(this::fillNow, millis, thrown -> filled());
    }

    private synchronized void filled() {
        filling = false;
        again = false;
    }

    /** Tries each missing connection once, and again later where some are still missing. */
    private void fillNow() {
        int there = caller.link().extras().size();
        int missing = most() - there;
        Session by = next();
        try {
            for (int i = 0; i < missing && by != null; i++) {
                there = caller.link().extras().size();
                add(by);
                by = next();
            }
            told = false;
        } catch (StatusException e) {
            if (refused(by, there)) {
                tell("the server takes", e);
            }
        } catch (IOException e) {
            tell("there are now", e);
        } catch (Throwable e) {
            LOG.warn("mount {}: no further connection, which is not tried again: {}", name(), e, e);
            filled();
            return;
        }
        boolean isMissing = next() != null && caller.link().extras().size() < most();
        boolean more;
        synchronized (this) {
            more = again || isMissing;
            again = false;
            filling = more;
        }
        if (more) {
            later(isMissing ? attempts.nextPauseMillis() : 0);
        }
    }

    private synchronized int most() {
        return most;
    }

    /**
     * The server has refused a further connection of a session. It would refuse another one alike, but not those that
     * were lost meanwhile.
     *
     * @param there how many there were
     * @return false where the mount has another session by now, of which that tells nothing
     */
    private synchronized boolean refused(Session by, int there) {
        if (by != session) {
            return false;
        }
        most = there;
        return true;
    }

    /** The session to make connections of, null where none are wanted, or the first connection comes before. */
    private Session next() {
        Session present;
        synchronized (this) {
            present = session;
        }
        boolean isOver = present == null || present.isDead() || caller.isClosed();
        return isOver || caller.link().current() == null ? null : present;
    }

    private void add(Session by) throws IOException {
        Lost lost = new Lost();
        LinkConnection made = caller.link().connectExtra(caller.link().extras().freeNumber(), lost);
        boolean isTaken = false;
        try {
            registration.bind(by.id(), made);
            caller.link().extras().add(made);
            isTaken = true;
        } finally {
            if (!isTaken) {
                made.close();
            }
        }
        lost.watch(made);
        if (next() != by) { // end() or begin() did not see it
            caller.link().extras().closeNow(made);
        }
    }

    /** Tells once how many connections there are, until all are there. */
    private void tell(String what, IOException why) {
        if (!told) {
            told = true;
            LOG.info(
                    "mount {}: {} {} of {} connections: {}",
                    name(),
                    what,
                    caller.link().extras().size() + 1,
                    wanted + 1,
                    why.getMessage());
        }
    }

    private String name() {
        return caller.settings().name();
    }

    /** Drops a connection when it is lost, also where that came before it was bound. */
    private final class Lost implements ConnectionObserver {
        private final long madeNanos = caller.runtime().nanoTime();

        @GuardedBy("this")
        private LinkConnection watched;

        @GuardedBy("this")
        private boolean isLost;

        void watch(LinkConnection made) {
            synchronized (this) {
                watched = made;
                if (!isLost) {
                    return;
                }
            }
            caller.link().extras().drop(made);
        }

        @Override
        public void lost(Throwable cause) {
            LinkConnection gone;
            synchronized (this) {
                isLost = true;
                gone = watched;
            }
            boolean unused = attempts.succeeded(caller.runtime().nanoTime() - madeNanos);
            if (gone != null) {
                caller.link().extras().drop(gone);
            }
        }
    }
}
