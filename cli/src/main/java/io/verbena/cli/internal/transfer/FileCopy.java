package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies one regular file. It appears under its name only when it is whole: until then it has a temporary name in the
 * same directory, which is removed when the copy fails or is interrupted.
 */
final class FileCopy {
    private static final Logger LOG = LoggerFactory.getLogger(FileCopy.class);

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
                return move(from, to, false);
            }
            if (!force && existing.get().isRegularFile() && !to.mayWrite()) {
                throw new IOException(to + ": permission denied to write; -f replaces it all the same");
            }
        }
        Location temporary = to.hiddenSibling(
                String.format(".verbena-%016x.part", ThreadLocalRandom.current().nextLong()));
        boolean done = false;
        try {
            final long size = move(from, temporary, true);
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

    private long move(Location from, Location to, boolean isNew) throws IOException, InterruptedException {
        AtomicBoolean isToBeMade = new AtomicBoolean(isNew);
        return new ContentCopy(pool, from, to, () -> {
                    BlockSink sink = to.write(isToBeMade.get());
                    isToBeMade.set(false);
                    return sink;
                })
                .run();
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
