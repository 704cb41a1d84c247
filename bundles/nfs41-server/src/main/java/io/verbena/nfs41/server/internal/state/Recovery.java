package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients that may reclaim what they held before the server restarted, and the grace period in which they do
 * (RFC 8881 section 8.4.2). The owners of confirmed clients stand in a file, one a line in hexadecimal. Thread safe.
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final Path file;
    private final LongSupplier nanoClock;
    private final long graceEndNanos;
    private final Set<String> expected = new HashSet<>();
    private final Set<String> present = new HashSet<>();
    private final Set<String> returned = new HashSet<>();
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
        present.addAll(expected);
        inGrace = !expected.isEmpty();
    }

    /** Whether only reclaims may take opens and locks. */
    public boolean inGrace() {
        if (inGrace && nanoClock.getAsLong() - graceEndNanos >= 0) {
            endGrace();
        }
        return inGrace;
    }

    private synchronized void endGrace() {
        inGrace = false;
        if (present.removeAll(expected)) {
            // who has come back was added again under the same name: see confirmed
            present.addAll(returned);
            save();
        }
        expected.clear();
    }

    /** Whether a client may reclaim: it held state before the restart, and the grace period is not over. */
    public synchronized boolean mayReclaim(Client client) {
        return inGrace() && expected.contains(name(client.ownerId()));
    }

    /** A client has been confirmed. */
    synchronized void confirmed(Opaque ownerId) {
        String name = name(ownerId);
        if (inGrace) {
            returned.add(name);
        }
        if (present.add(name)) {
            save();
        }
    }

    /** A client has reclaimed all it wants; when all have, the grace period is over. */
    synchronized void reclaimComplete(Opaque ownerId) {
        if (expected.remove(name(ownerId)) && expected.isEmpty()) {
            endGrace();
        }
    }

    /** A client is no more. */
    synchronized void gone(Opaque ownerId) {
        String name = name(ownerId);
        returned.remove(name);
        if (!expected.contains(name) && present.remove(name)) {
            save();
        }
    }

    private static String name(Opaque ownerId) {
        return ownerId.toString();
    }

    private void save() {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.write(fresh, present);
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("Clients cannot be noted in {}, and will not be able to reclaim: {}", file, e.getMessage());
        }
    }
}
