package io.verbena.hadoop.internal.stream;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.ReentrantLock;

/** The lock of a stream. A thread may hold it while it waits for the server: an interrupt ends a wait for the lock. */
final class StreamLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    /**
     * Takes the lock; {@link #unlock} must follow.
     *
     * @throws InterruptedIOException if the thread is interrupted while it waits; it stays interrupted
     */
    void take() throws InterruptedIOException {
        if (tryLock()) {
            return;
        }
        try {
            lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while another call goes on");
            interrupted.initCause(e);
            throw interrupted;
        }
    }
}
