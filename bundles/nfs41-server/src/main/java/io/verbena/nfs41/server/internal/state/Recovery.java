package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients that may reclaim what they held before the server restarted, and the grace period in which they do
 * (RFC 8881 section 8.4.2). The owners of these clients stand in a file on stable storage, one a line in hexadecimal.
 * Thread safe.
 *
 * <p>The record keeps both edge conditions of RFC 8881 section 8.4 out:
 *
 * <ul>
 *   <li>A client whose lease has run out is taken off the record before its locks are released. So it cannot reclaim
 *       after a restart what another client may have held meanwhile.
 *   <li>A client is on the record by its RECLAIM_COMPLETE of this run, without which it gets no new lock. The clients of
 *       earlier runs stay on it until the grace period ends. The end takes those off that have not sent RECLAIM_COMPLETE,
 *       whether they have come back or not, before anybody gets a new lock. So none of them can reclaim after a second
 *       restart. A second restart within the grace period takes nothing from them: nobody has got a new lock.
 * </ul>
 *
 * <p>So nothing is given to anybody before the record is written. Where it cannot be written, as on a full disk, clients
 * keep what they hold, the grace period goes on, and it is tried again.
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

    private final Path file;
    private final LongSupplier nanoClock;

    /** Clients of earlier runs that have not sent RECLAIM_COMPLETE in this one. Empty behind the grace period. */
    private final Set<String> expected = new HashSet<>();

    /** Clients that have sent RECLAIM_COMPLETE in this run. */
    private final Set<String> complete = new HashSet<>();

    /** What the record holds; null where that is not known, for the last attempt to write it has failed. */
    private Set<String> recorded;

    private boolean hasWarned;
    private volatile long graceEndNanos;
    private volatile boolean inGrace;

    /**
     * Reads who held state when the server ended. Where nobody did, there is no grace period.
     *
     * @param file where the clients are kept; it need not be there
     * @throws IOException where it cannot be read
     */
    public Recovery(Path file, Duration grace, LongSupplier nanoClock) throws IOException {
        this.file = file;
        this.nanoClock = nanoClock;
        this.graceEndNanos = nanoClock.getAsLong() + grace.toNanos();
        try {
            expected.addAll(Files.readAllLines(file));
        } catch (NoSuchFileException e) {
            LOG.debug("No clients of an earlier run are known");
        }
        recorded = Set.copyOf(expected);
        inGrace = !expected.isEmpty();
    }

    /**
     * Whether only reclaims may take opens and locks. The first call behind the grace period's end blocks shortly. The
     * period goes on until the record is written.
     */
    public boolean inGrace() {
        if (inGrace && nanoClock.getAsLong() - graceEndNanos >= 0) {
            endGrace();
        }
        return inGrace;
    }

    /** Ends the grace period in time, and writes the record where that has failed before; called now and then. Blocks. */
    public synchronized void tidy() {
        boolean goesOn = inGrace();
        if (recorded == null) {
            try {
                write(expected, complete);
            } catch (NfsError e) {
                LOG.debug("It is tried again later; the grace period {}", goesOn ? "goes on" : "is over");
            }
        }
    }

    private synchronized void endGrace() {
        if (!inGrace) {
            return;
        }
        try {
            write(Set.of(), complete); // before the first new lock
        } catch (NfsError e) {
            LOG.debug("The grace period goes on: the record of clients cannot be written");
            graceEndNanos = nanoClock.getAsLong() + RETRY_NANOS;
            return;
        }
        expected.clear();
        inGrace = false;
    }

    /** Whether a client may reclaim: it held state before the restart, and the grace period is not over. */
    public synchronized boolean mayReclaim(Client client) {
        return inGrace() && expected.contains(name(client.ownerId()));
    }

    /**
     * A client has reclaimed all it wants, and may take new locks. When all clients of earlier runs have, the grace period
     * is over. Blocks until the record is on stable storage.
     *
     * @throws NfsError {@code DELAY} where it could not be brought there: the client may not take new locks
     */
    synchronized void reclaimComplete(Opaque ownerId) throws NfsError {
        String name = name(ownerId);
        Set<String> completed = new HashSet<>(complete);
        completed.add(name);
        write(expected, completed);
        complete.add(name);
        expected.remove(name);
        if (inGrace && expected.isEmpty()) {
            endGrace();
        }
    }

    /**
     * Clients are about to lose what they hold. Those of earlier runs may come back until the grace period ends: nobody
     * gets what they held before that. Blocks until the record is on stable storage.
     *
     * @throws NfsError {@code DELAY} where it could not be brought there: the clients may not lose anything now
     */
    synchronized void gone(Collection<Opaque> ownerIds) throws NfsError {
        Set<String> left = new HashSet<>(complete);
        for (Opaque ownerId : ownerIds) {
            left.remove(name(ownerId));
        }
        if (left.size() < complete.size()) {
            write(expected, left);
            complete.retainAll(left);
        }
    }

    private static String name(Opaque ownerId) {
        return ownerId.toString();
    }

    /** Writes the record, where it does not hold these clients already. */
    private void write(Set<String> some, Set<String> others) throws NfsError {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        if (all.equals(recorded)) {
            return;
        }
        recorded = null;
        try {
            StableFile.replace(file, lines(all).getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            if (!hasWarned) {
                LOG.warn(
                        "The clients cannot be noted in {}. Until they can, new clients may not open files, expired ones"
                                + " keep what they hold, and the grace period goes on if there is one: {}",
                        file,
                        e.toString());
                hasWarned = true;
            }
            throw new NfsError(NFS4ERR_DELAY);
        }
        recorded = all;
        if (hasWarned) {
            LOG.info("The clients can be noted in {} again", file);
            hasWarned = false;
        }
    }

    private static String lines(Set<String> names) {
        List<String> sorted = names.stream().sorted().toList();
        return sorted.isEmpty() ? "" : String.join("\n", sorted) + "\n";
    }
}
