package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
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
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final Path file;
    private final LongSupplier nanoClock;
    private final long graceEndNanos;

    /** Clients of earlier runs that have not sent RECLAIM_COMPLETE in this one. Empty behind the grace period. */
    private final Set<String> expected = new HashSet<>();

    /** Clients that have sent RECLAIM_COMPLETE in this run. */
    private final Set<String> complete = new HashSet<>();

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
        inGrace = !expected.isEmpty();
    }

    /** Whether only reclaims may take opens and locks. The first call behind the grace period's end blocks shortly. */
    public boolean inGrace() {
        if (inGrace && nanoClock.getAsLong() - graceEndNanos >= 0) {
            endGrace();
        }
        return inGrace;
    }

    private synchronized void endGrace() {
        if (!inGrace) {
            return;
        }
        expected.clear();
        save(); // before the first new lock
        inGrace = false;
    }

    /** Whether a client may reclaim: it held state before the restart, and the grace period is not over. */
    public synchronized boolean mayReclaim(Client client) {
        return inGrace() && expected.contains(name(client.ownerId()));
    }

    /**
     * A client has reclaimed all it wants, and may take new locks. When all clients of earlier runs have, the grace period
     * is over. Blocks until the record is on stable storage.
     */
    synchronized void reclaimComplete(Opaque ownerId) {
        String name = name(ownerId);
        boolean wasExpected = expected.remove(name);
        if (complete.add(name) && !wasExpected) {
            save(); // else it is on the record already
        }
        if (inGrace && expected.isEmpty()) {
            endGrace();
        }
    }

    /**
     * Clients are about to lose what they hold. Those of earlier runs may come back until the grace period ends: nobody
     * gets what they held before that. Blocks until the record is on stable storage.
     */
    synchronized void gone(Collection<Opaque> ownerIds) {
        boolean changed = false;
        for (Opaque ownerId : ownerIds) {
            changed |= complete.remove(name(ownerId));
        }
        if (changed) {
            save();
        }
    }

    private static String name(Opaque ownerId) {
        return ownerId.toString();
    }

    private void save() {
        Set<String> all = new HashSet<>(expected);
        all.addAll(complete);
        try {
            StableFile.replace(file, lines(all).getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            LOG.warn("Clients cannot be noted in {}, and will not be able to reclaim: {}", file, e.getMessage());
        }
    }

    private static String lines(Set<String> names) {
        List<String> sorted = names.stream().sorted().toList();
        return sorted.isEmpty() ? "" : String.join("\n", sorted) + "\n";
    }
}
