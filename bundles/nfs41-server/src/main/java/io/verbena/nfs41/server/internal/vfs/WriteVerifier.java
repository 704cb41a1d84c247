package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The verifier of unstable writes (RFC 8881 section 18.32.3): it changes whenever data that was not committed may be
 * lost, which is with each run and with each failure to bring data to stable storage. Thread safe.
 */
public final class WriteVerifier {
    private final AtomicLong value;

    /**
     * @param first differs from run to run
     */
    public WriteVerifier(long first) {
        value = new AtomicLong(first);
    }

    /** The verifier now. A WRITE asks before it writes: should the data be lost at once, its verifier is an old one. */
    public long value() {
        return value.get();
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
        synchronized (file) {
            try {
                file.force(metadata);
            } catch (IOException e) {
                value.incrementAndGet();
                throw e;
            }
            return value.get();
        }
    }
}
