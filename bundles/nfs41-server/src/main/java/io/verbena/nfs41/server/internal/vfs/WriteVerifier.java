package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The verifier of unstable writes (RFC 8881 section 18.32.3): it changes whenever data that was not committed may be
 * lost, which is with each run and with each failure to bring data to stable storage. Thread safe.
 */
public final class WriteVerifier {
    private static final Logger LOG = LoggerFactory.getLogger(WriteVerifier.class);
    private static final int LOCKS = 64;

    private final AtomicLong value;
    private final Object[] locks = new Object[LOCKS];

    /**
     * @param first differs from run to run
     */
    public WriteVerifier(long first) {
        value = new AtomicLong(first);
        Arrays.setAll(locks, index -> new Object());
    }

    /** The verifier now. A WRITE asks before it writes: should the data be lost at once, its verifier is an old one. */
    public long value() {
        return value.get();
    }

    /** Data that clients believe to be written may be lost: they are to send again what they have not committed. */
    void changed() {
        value.incrementAndGet();
    }

    /**
     * Brings a file's data to stable storage. Blocks.
     *
     * @return the verifier to answer a COMMIT with
     * @throws IOException where that failed. The kernel may have dropped the data and will tell nobody else, so what is
     *     forced after this succeeds; the verifier has changed, and clients send again what they have not committed.
     */
    public long force(OpenFile file, boolean metadata) throws IOException {
        // one at a time: the failure is told to one caller only, and no other may answer before the verifier changed
        synchronized (lock(file)) {
            try {
                file.force(metadata);
            } catch (IOException e) {
                changed();
                throw e;
            }
            return value.get();
        }
    }

    /**
     * Closes a file, once all of it that was written is on stable storage: what fails after that is told to nobody. Blocks.
     *
     * @param forced whether to do without that: nobody can read the file any more
     */
    void close(OpenFile file, boolean forced) {
        synchronized (lock(file)) {
            boolean mayLose = !forced && file.isDirty();
            try {
                if (mayLose) {
                    file.force(true);
                }
            } catch (IOException e) {
                lost(e);
            }
            try {
                file.close();
            } catch (IOException e) {
                lost(e);
            }
        }
    }

    private void lost(IOException failure) {
        LOG.warn("Closing a file of the export failed; clients are told to send again what was written", failure);
        changed();
    }

    /** The same for all channels of a file. */
    private Object lock(OpenFile file) {
        return locks[Math.floorMod(file.inode().hashCode(), locks.length)];
    }
}
