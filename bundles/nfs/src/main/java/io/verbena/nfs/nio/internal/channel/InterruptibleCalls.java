package io.verbena.nfs.nio.internal.channel;

import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.Interrupts;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;

/**
 * Executes calls on an open channel, and ends them as java.nio specifies if the channel is closed or the thread
 * interrupted meanwhile. Thread safe.
 *
 * <p>An interrupt that ends a wait for the server closes the channel. An interrupt from before the call closes a
 * channel of {@code FileChannel.open}, as for local files. A call on a channel of {@code Files.newByteChannel} is
 * executed all the same: {@code Files.readAllBytes} and streams use these, and no interrupt ends them for local files.
 */
final class InterruptibleCalls {
    private final FileChannel channel;
    private final boolean endByEarlierInterrupt;
    private volatile boolean interrupted;

    /**
     * @param endByEarlierInterrupt whether an interrupt from before closes the channel
     */
    InterruptibleCalls(FileChannel channel, boolean endByEarlierInterrupt) {
        this.channel = channel;
        this.endByEarlierInterrupt = endByEarlierInterrupt;
    }

    /** A call on the open channel. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws IOException;
    }

    /** Whether a waiting thread was interrupted. It must not wait again when it closes the channel. */
    boolean wereInterrupted() {
        return interrupted;
    }

    /** Executes a call; an interrupt from before prevents it, if this channel is one that such an interrupt closes. */
    <T> T run(Step<T> step) throws IOException {
        if (!endByEarlierInterrupt) {
            return Interrupts.deferred(() -> runUninterrupted(step));
        }
        requireOpen();
        if (Thread.currentThread().isInterrupted()) {
            throw closedBy(null);
        }
        return runUninterrupted(step);
    }

    /** Closes the channel. Returns the exception that says so. */
    private ClosedByInterruptException closedBy(InterruptedIOException cause) {
        ClosedByInterruptException closed = new ClosedByInterruptException();
        closed.initCause(cause);
        try {
            if (channel.isOpen()) { // else another thread closes it, which may take as long as the server does
                channel.close();
            }
        } catch (IOException failed) {
            closed.addSuppressed(failed);
        }
        return closed;
    }

    /**
     * Executes a call. A failure that an interrupt or a close has caused becomes the exception that channels throw for
     * it.
     */
    <T> T runUninterrupted(Step<T> step) throws IOException {
        requireOpen();
        try {
            return step.run();
        } catch (InterruptedIOException e) {
            interrupted = true;
            throw closedBy(e);
        } catch (AsynchronousCloseException e) {
            throw e; // a call within this one has translated it already
        } catch (IOException e) {
            if (!channel.isOpen() && Failures.replacement(e).isEmpty()) {
                AsynchronousCloseException closed = new AsynchronousCloseException();
                closed.initCause(e);
                throw closed;
            }
            throw e;
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
    }
}
