package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies one regular file. It appears under its name only when it is whole: until then it has a temporary name in the
 * same directory, which is removed when the copy fails or is interrupted.
 */
final class FileCopy {
    private static final Logger LOG = LoggerFactory.getLogger(FileCopy.class);

    /** Only so often is a copy taken up again, so that one that never succeeds ends. */
    private static final int MAX_RECOVERIES = 10;

    private final BufferPool pool;
    private final boolean force;

    /**
     * @param force whether a file is replaced that may not be written
     */
    FileCopy(BufferPool pool, boolean force) {
        this.pool = pool;
        this.force = force;
    }

    /**
     * Copies content, mode and time of modification.
     *
     * @param isFresh whether nothing can be at the target yet
     * @return the octets copied
     */
    long copy(Location from, Node node, Location to, boolean isFresh) throws IOException, InterruptedException {
        Optional<Node> existing = isFresh ? Optional.empty() : to.find(false);
        if (existing.isPresent()) {
            if (existing.get().isDirectory()) {
                throw new IOException(to + ": is a directory, which " + from + " cannot replace");
            }
            if (!existing.get().isRegularFile() && !existing.get().isSymbolicLink()) {
                return pump(from, to, false, 0);
            }
            if (!force && existing.get().isRegularFile() && !to.mayWrite()) {
                throw new IOException(to + ": permission denied to write; -f replaces it all the same");
            }
        }
        Location temporary = to.hiddenSibling(
                String.format(".verbena-%016x.part", ThreadLocalRandom.current().nextLong()));
        boolean done = false;
        try {
            final long size = pump(from, temporary, true, 0);
            temporary.setAttributes(node.mode(), node.modified());
            temporary.renameTo(to);
            done = true;
            return size;
        } finally {
            if (!done) {
                discard(temporary);
            }
        }
    }

    /** Moves the content, on and on while what serves the files is replaced under it. */
    private long pump(Location from, Location to, boolean isNew, long start) throws IOException, InterruptedException {
        long safe = start;
        boolean create = isNew;
        for (int recoveries = 0; ; recoveries++) {
            Object fromSession = from.session();
            Object toSession = to.session();
            BlockPump pump = null;
            try (BlockSource source = from.read();
                    BlockSink sink = to.write(create)) {
                create = false;
                pump = new BlockPump(pool, source, sink, new BlockPump.Names(from.toString(), to.toString()), safe);
                return run(pump, from, to);
            } catch (IOException e) {
                if (recoveries == MAX_RECOVERIES || !recover(from, fromSession, to, toSession, e)) {
                    throw e;
                }
                safe = pump == null ? safe : pump.safe();
            }
        }
    }

    private static long run(BlockPump pump, Location from, Location to) throws IOException, InterruptedException {
        try {
            return pump.run();
        } catch (InterruptedException e) {
            if (!from.isReachable() || !to.isReachable()) {
                // so that to close the files does not wait for a server that has gone
                Thread.currentThread().interrupt();
            }
            throw e;
        }
    }

    private static boolean recover(
            Location from, Object fromSession, Location to, Object toSession, IOException failure)
            throws InterruptedException {
        try {
            return from.recover(fromSession) || to.recover(toSession);
        } catch (IOException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    private static void discard(Location temporary) {
        if (!temporary.isReachable()) {
            LOG.warn("a temporary file is left beside {}: its server cannot be reached", temporary);
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            temporary.remove();
        } catch (IOException e) {
            // it was not made yet, or what serves it has gone; the failure that led here is the one to tell
            LOG.debug("could not remove the temporary file of {}", temporary, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
