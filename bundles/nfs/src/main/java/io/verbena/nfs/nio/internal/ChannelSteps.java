package io.verbena.nfs.nio.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;

/**
 * What is done on an open channel, and how it ends where the channel is closed or a thread interrupted meanwhile. Thread
 * safe.
 *
 * <p>An interrupt closes the channel where it ends a wait for the server. An interrupt from before closes a channel of
 * {@code FileChannel.open}, as it does on this host; what goes through a channel of {@code Files.newByteChannel} is done
 * all the same, since {@code Files.readAllBytes} and streams go through those, which no interrupt ends on this host.
 */
final class ChannelSteps {
    private final FileChannel channel;
    private final boolean endByEarlierInterrupt;
    private volatile boolean brokenOff;

    /**
     * @param endByEarlierInterrupt whether an interrupt from before closes the channel
     */
    ChannelSteps(FileChannel channel, boolean endByEarlierInterrupt) {
        this.channel = channel;
        this.endByEarlierInterrupt = endByEarlierInterrupt;
    }

    /** Something done on the open channel. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws IOException;
    }

    /** Whether somebody who waited was interrupted, and must not wait again for the channel to be closed. */
    boolean areBrokenOff() {
        return brokenOff;
    }

    /** Something done, which an interrupt from before keeps from being done where that counts. */
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

    /** Closes the channel, and says by what. */
    private ClosedByInterruptException closedBy(InterruptedIOException cause) {
        ClosedByInterruptException closed = new ClosedByInterruptException();
        closed.initCause(cause);
        try {
            channel.close();
        } catch (IOException failed) {
            closed.addSuppressed(failed);
        }
        return closed;
    }

    /** A failure that comes of an interrupt or of a close meanwhile is told as channels tell it. */
    <T> T runUninterrupted(Step<T> step) throws IOException {
        requireOpen();
        try {
            return step.run();
        } catch (InterruptedIOException e) {
            brokenOff = true;
            throw closedBy(e);
        } catch (AsynchronousCloseException e) {
            throw e; // a step within this one has told already
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
