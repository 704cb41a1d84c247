package io.verbena.fuse.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;

/**
 * The failures of a file's writes that were answered before they were done. Each open of the file is told once, of the
 * last failure since it was told before, as with errseq_t of Linux. Thread safe.
 */
public final class WriteFailures {
    @GuardedBy("this")
    private long count;

    @GuardedBy("this")
    private IOException last;

    /** Whether some open was told the last failure. */
    @GuardedBy("this")
    private boolean isTold;

    /** What one open of the file was told. It begins with a failure that no open was told. */
    public final class Listener {
        @GuardedBy("WriteFailures.this")
        private long told;

        /** The number of the last failure of this open's own writes. */
        @GuardedBy("WriteFailures.this")
        private long own;

        private Listener(long told) {
            this.told = told;
            this.own = told;
        }

        /** Adds a failure of a write by this open. */
        public void add(IOException failure) {
            synchronized (WriteFailures.this) {
                own = ++count;
                last = failure;
                isTold = false;
            }
        }

        /** Throws the last failure of a write by any open. */
        public void throwAny() throws IOException {
            synchronized (WriteFailures.this) {
                if (told < count) {
                    told = count;
                    isTold = true;
                    throw last;
                }
            }
        }

        /** As {@link #throwAny}, if a write by this open has failed. */
        public void throwOwn() throws IOException {
            synchronized (WriteFailures.this) {
                if (told < own) {
                    throwAny();
                }
            }
        }
    }

    public synchronized Listener listen() {
        return new Listener(last == null || isTold ? count : count - 1);
    }
}
