package io.verbena.nfs41.server.internal.file;

import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verifier of unstable writes (RFC 8881 section 18.32.3). It changes whenever uncommitted data may be lost: with
 * each run, and with each failure to bring data to stable storage. Thread safe.
 */
public final class WriteVerifier {
    private static final Logger LOG = LoggerFactory.getLogger(WriteVerifier.class);
    private static final int LOCKS = 64;

    private final AtomicLong value;
    private final Object[] locks = new Object[LOCKS];
    private final Object together = new Object();
    /** The verifier after the last loss of data of the files that share a lock. */
    private final AtomicLongArray losses = new AtomicLongArray(LOCKS);
    /** The verifier after the last loss of which nobody knows whose data it was. */
    private volatile long lossOfAny;

    /** @param first another value in each run */
    public WriteVerifier(long first) {
        value = new AtomicLong(first);
        lossOfAny = first;
        for (int i = 0; i < LOCKS; i++) {
            losses.set(i, first);
        }
        Arrays.setAll(locks, index -> new Object());
    }

    /**
     * The present verifier. A WRITE reads it before it writes: if the data is lost at once, the reply then has the old
     * verifier.
     */
    public long value() {
        return value.get();
    }

    /** Called when data that clients believe to be written may be lost: clients send uncommitted data again. */
    synchronized void lost() {
        lossOfAny = value.incrementAndGet();
    }

    /** As {@link #lost()}, of data of that object. */
    synchronized void lost(Inode inode) {
        losses.set(stripe(inode), value.incrementAndGet());
    }

    /**
     * Whether data of an object may have been lost since the verifier was {@code before}: its own, that of one that
     * shares its lock, or anybody's.
     */
    boolean isLostSince(long before, Inode inode) {
        return lossOfAny - before > 0 || losses.get(stripe(inode)) - before > 0;
    }

    /**
     * Brings the data of a file to stable storage. Blocks.
     *
     * @return the verifier for the reply to COMMIT
     * @throws IOException if that has failed. The kernel may have dropped the data and reports the failure only once,
     *     so that later forces succeed. The verifier has changed, and clients send uncommitted data again.
     */
    public long force(OpenFile file, boolean metadata) throws IOException {
        // one at a time: one caller alone gets the failure, and no other may answer before the verifier has changed
        synchronized (lock(file)) {
            try {
                file.force(metadata);
            } catch (IOException e) {
                lost(file.inode());
                throw e;
            }
            return value.get();
        }
    }

    /** A call that brings many objects to stable storage. */
    @FunctionalInterface
    interface ForceOfAll {
        /** @return false where the host has no such call */
        boolean force() throws IOException;
    }

    /**
     * Brings a file system to stable storage by a call that tells a loss once to all of its callers together. Blocks.
     *
     * @throws IOException as {@link #force}
     */
    boolean force(ForceOfAll call) throws IOException {
        synchronized (together) { // as above: no other may succeed before the verifier has changed
            try {
                return call.force();
            } catch (NfsError e) {
                throw e; // it could not begin
            } catch (IOException e) {
                lost();
                throw e;
            }
        }
    }

    /**
     * Closes a file, after all written data is on stable storage: later failures would be reported to no caller.
     * Blocks.
     *
     * @param forced whether to close without that, since the file can be read no more
     */
    void close(OpenFile file, boolean forced) {
        synchronized (lock(file)) {
            if (file.isClosed()) {
                return; // another thread was faster
            }
            boolean mayLose = !forced && file.isDirty();
            try {
                if (mayLose) {
                    file.force(true);
                }
            } catch (IOException e) {
                lost(file, e);
            }
            closeAsIs(file);
        }
    }

    /** Closes a file without a look at what was written. Nobody else uses or closes it. Does not wait for the disk. */
    void closeAsIs(OpenFile file) {
        try {
            file.close();
        } catch (IOException e) {
            lost(file, e);
        }
    }

    private void lost(OpenFile file, IOException failure) {
        LOG.warn("Closing a file of the export failed; clients send uncommitted data again", failure);
        lost(file.inode());
    }

    private static int stripe(Inode inode) {
        return Math.floorMod(inode.hashCode(), LOCKS);
    }

    /** The lock of a file, the same for all of its channels. */
    private Object lock(OpenFile file) {
        return locks[stripe(file.inode())];
    }
}
