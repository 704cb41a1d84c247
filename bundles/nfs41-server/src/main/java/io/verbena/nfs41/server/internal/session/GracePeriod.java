package io.verbena.nfs41.server.internal.session;

import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.runtime.Runtime;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The grace period after a restart of the server, and the record of clients that may reclaim state in it (RFC 8881
 * section 8.4.2). The record is a file on stable storage that holds the clients' owners, one a line in hexadecimal. A
 * further client is appended. A last line without its end was not written whole: its client had no answer, and holds
 * nothing. Thread safe.
 *
 * <p>The record prevents both edge conditions of RFC 8881 section 8.4:
 *
 * <ul>
 *   <li>A client whose lease has run out is removed from the record before its locks are released. So after a restart
 *       it cannot reclaim locks that another client may have held meanwhile.
 *   <li>RECLAIM_COMPLETE enters a client in the record; before that it gets no new lock. Clients of earlier runs stay
 *       in the record until the grace period ends. Its end removes those that have not sent RECLAIM_COMPLETE, whether
 *       they have come back or not, before any client gets a new lock. So none of them can reclaim after a second
 *       restart. After a second restart within the grace period they still can: no client has got a new lock.
 * </ul>
 *
 * <p>So no lock is granted before the record is written. If it cannot be written, as on a full disk, clients keep their
 * state, the grace period goes on, and the write is tried again.
 */
public final class GracePeriod {
    private static final Logger LOG = LoggerFactory.getLogger(GracePeriod.class);

    private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

    private final Path file;
    private final Runtime runtime;

    /** Clients of earlier runs that have not sent RECLAIM_COMPLETE in this one. Empty after the grace period. */
    @GuardedBy("this")
    private final Set<String> expected = new HashSet<>();

    /** Clients that have sent RECLAIM_COMPLETE in this run. */
    @GuardedBy("this")
    private final Set<String> complete = new HashSet<>();

    /** The clients in the record; null if unknown, since the last write of it has failed. */
    @GuardedBy("this")
    private Set<String> recorded;

    @GuardedBy("this")
    private boolean hasWarned;

    private volatile long graceEndNanos;
    private volatile boolean inGrace;

    /**
     * Reads the clients that held state when the server ended. If there are none, there is no grace period.
     *
     * @param file the record; it need not exist
     * @throws IOException if it exists and cannot be read
     */
    public GracePeriod(Path file, Duration grace, Runtime runtime) throws IOException {
        this.file = file;
        this.runtime = runtime;
        this.graceEndNanos = runtime.nanoTime() + grace.toNanos();
        try {
            String content = Files.readString(file, StandardCharsets.ISO_8859_1);
            int whole = content.lastIndexOf('\n') + 1;
            expected.addAll(content.substring(0, whole).lines().toList());
            recorded = whole == content.length() ? new HashSet<>(expected) : null;
        } catch (NoSuchFileException e) {
            LOG.debug("No clients of an earlier run are known");
            recorded = new HashSet<>();
        }
        inGrace = !expected.isEmpty();
    }

    /**
     * Whether opens and locks are granted to reclaims only. The first call after the end of the grace period blocks
     * shortly. The period goes on until the record is written.
     */
    public boolean inGrace() {
        if (inGrace && runtime.nanoTime() - graceEndNanos >= 0) {
            endGrace();
        }
        return inGrace;
    }

    /** Ends the grace period in time, and writes the record if that has failed before; called periodically. Blocks. */
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
            graceEndNanos = runtime.nanoTime() + RETRY_NANOS;
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
     * Executes RECLAIM_COMPLETE: the client may get new locks. When all clients of earlier runs have sent it, the grace
     * period ends. Blocks until the record is on stable storage.
     *
     * @throws NfsError {@code DELAY} if the record cannot be written: the client may not get new locks
     */
    synchronized void reclaimComplete(Opaque ownerId) throws NfsError {
        String name = name(ownerId);
        if (recorded == null || recorded.isEmpty()) {
            Set<String> completed = new HashSet<>(complete);
            completed.add(name);
            write(expected, completed);
        } else if (!recorded.contains(name)) {
            append(name);
        }
        complete.add(name);
        expected.remove(name);
        if (inGrace && expected.isEmpty()) {
            endGrace();
        }
    }

    /**
     * Removes clients from the record that are about to lose their state. Clients of earlier runs may come back until
     * the grace period ends, since no client gets their locks before. Blocks until the record is on stable storage.
     *
     * @throws NfsError {@code DELAY} if the record cannot be written: the clients must keep their state for now
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

    /** Writes the record, unless it holds these clients already. */
    @GuardedBy("this")
    private void write(Set<String> some, Set<String> others) throws NfsError {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        if (all.equals(recorded)) {
            return;
        }
        recorded = null;
        store(() -> StableFile.replace(file, lines(all)));
        recorded = all;
    }

    /** Adds a client to the record. The others are not written again, since there may be thousands. */
    @GuardedBy("this")
    private void append(String name) throws NfsError {
        Set<String> all = recorded;
        recorded = null; // a part of the line may be written
        store(() -> StableFile.append(file, lines(Set.of(name))));
        all.add(name);
        recorded = all;
    }

    private interface Change {
        void make() throws IOException;
    }

    @GuardedBy("this")
    private void store(Change change) throws NfsError {
        try {
            change.make();
        } catch (IOException e) {
            if (!hasWarned) {
                LOG.warn(
                        "The clients cannot be noted in {}. Until they can, new clients may not open files,"
                                + " expired ones keep what they hold, and the grace period goes on if there is one: {}",
                        file,
                        e.toString());
                hasWarned = true;
            }
            throw new NfsError(NFS4ERR_DELAY);
        }
        if (hasWarned) {
            LOG.info("The clients can be noted in {} again", file);
            hasWarned = false;
        }
    }

    private static byte[] lines(Set<String> names) {
        List<String> sorted = names.stream().sorted().toList();
        String text = sorted.isEmpty() ? "" : String.join("\n", sorted) + "\n";
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
