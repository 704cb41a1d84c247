package io.verbena.fuse.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;

/**
 * The failures of a file's writes that were answered before they were done. Each open of the file is told once, of the
 * last failure since it was told before, as with errseq_t of Linux. A close(2) tells it too; since programs seldom look
 * at that, and one that is killed does not, the failure counts as told to nobody all the same. Thread safe.
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
        /** The number of failures when this open began. */
        private final long begun;

        @GuardedBy("WriteFailures.this")
        private long told;

        /** The number of the last failure of this open's own writes. */
        @GuardedBy("WriteFailures.this")
        private long own;

        /** The number of the last failure that the end of this open has told. */
        @GuardedBy("WriteFailures.this")
        private long closed;

        private Listener(long begun, long told) {
            this.begun = begun;
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

        /** Throws the last failure since this open began, of which it was not told: for close(2). */
        public void throwAtClose() throws IOException {
            synchronized (WriteFailures.this) {
                if (Math.max(told, begun) < count) {
                    closed = count;
                    throw last;
                }
            }
        }

        /** Throws a failure of a write by this open that nothing has told, a close(2) neither; then once. */
        public void throwUntold() throws IOException {
            synchronized (WriteFailures.this) {
                if (Math.max(told, closed) < own) {
                    closed = count;
                    throw last;
                }
            }
        }
    }

    public synchronized Listener listen() {
        return new Listener(count, last == null || isTold ? count : count - 1);
    }
}
