package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.queue.CompletionDelivery;
import io.verbena.verbs.natives.internal.queue.CompletionWait;
import io.verbena.verbs.natives.internal.queue.QueuePair;
import io.verbena.verbs.natives.internal.queue.ReceiveQueue;
import io.verbena.verbs.natives.internal.queue.SendQueue;
import java.util.concurrent.TimeUnit;

/** The receive thread, the one thread of a connection: polls its completions, calls its handler, and ends it. */
final class ReceiveThread implements Runnable, SendQueue.CompletionPoller {
    /** The steps of the end, which the receive thread calls in this order. */
    interface Teardown {
        /** Refuses posts from now on, and hands the accepted ones over to the device. */
        void refusePosts();

        void disconnect();

        /** Destroys the queues: after this no memory of the connection is in the reach of the peer or the device. */
        void destroyQueues();

        /** Frees all other resources; called last. */
        void finish();
    }

    private static final long SEND_REST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PEER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /**
     * How long, after its queue pair has failed, a connection waits for an event of the device or the manager that says
     * why.
     */
    private static final long REASON_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int SHORT_WAIT_MILLIS = 20;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final QueuePair queuePair;
    private final CompletionDelivery completions;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final ConnectionHandler handler;
    private final Teardown teardown;
    private final boolean asksState;
    private final long pollNanos;
    private final CompletionWait wait;
    private final Thread thread;

    private volatile boolean established;
    private volatile boolean closing;
    private volatile boolean disconnected;
    private volatile RdmaException fault;
    private volatile RdmaException postFailure;

    /** @param asksState whether the state of a queue pair shows that it failed before the peer disconnected */
    ReceiveThread(
            CompletionWait wait,
            QueuePair queuePair,
            CompletionDelivery completions,
            SendQueue sends,
            ReceiveQueue receives,
            ConnectionHandler handler,
            Teardown teardown,
            boolean asksState,
            int pollMicros,
            String name) {
        this.wait = wait;
        this.queuePair = queuePair;
        this.completions = completions;
        this.sends = sends;
        this.receives = receives;
        this.handler = handler;
        this.teardown = teardown;
        this.asksState = asksState;
        pollNanos = pollMicros * NANOS_PER_MICRO;
        thread = Threads.make(name, this);
    }

    void start() {
        thread.start();
    }

    @Override
    public boolean pollCompletions() {
        boolean any = completions.poll() > 0;
        if (any) {
            wait.wake(); // so that they are delivered; also where this is the receive thread, which may be about to
            // wait
        }
        return any;
    }

    /**
     * Notes that the connection is established: completions are delivered from now on. Any thread, as for all methods
     * that follow.
     */
    void established() {
        established = true;
        wait.wake();
    }

    /** Ends the connection in order. */
    void close() {
        closing = true;
        wait.wake();
    }

    /** Notes that the peer has ended the connection. */
    void disconnected() {
        disconnected = true;
        wait.wake();
    }

    /** Ends the connection because of a failure. */
    void fail(RdmaException cause) {
        synchronized (this) {
            if (fault == null) {
                fault = cause;
            }
        }
        wait.wake();
    }

    /** Notes that a post could not be handed over. The cause may be only that the connection has ended. */
    void postFailed(RdmaException cause) {
        postFailure = cause;
        wait.wake();
    }

    /** Waits until the thread has ended or the deadline has passed. */
    void join(long deadline) {
        Threads.joinUnlessCurrent(thread, deadline);
    }

    /** Frees all resources of the connection; called instead of {@link #start}. */
    void discard() {
        teardown.refusePosts();
        completions.close();
        teardown.destroyQueues();
        release();
    }

    @Override
    public void run() {
        RdmaException cause;
        try {
            cause = work();
        } catch (NativeException e) {
            cause = Failures.resources(e);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection ends by an unexpected failure", e);
            cause = new RdmaException(Kind.RESOURCES, "unexpected failure: " + e, e);
        }
        try {
            end(cause);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection ended with an unexpected failure", e);
        } finally {
            release();
        }
    }

    private void release() {
        completions.close();
        wait.acknowledge();
        teardown.finish();
        wait.close();
    }

    /** Runs until the connection is to end; returns the cause, or null for an orderly end. */
    private RdmaException work() throws NativeException {
        while (!established) {
            if (closing || fault != null || disconnected) {
                return fault;
            }
            wait.await(-1);
        }
        long reasonDeadline = 0;
        for (; ; ) {
            boolean any = completions.poll() > 0;
            completions.deliver();
            if (closing) {
                return fault();
            }
            if (!any && (fault() != null || disconnected)) {
                return reason();
            }
            if (any) {
                continue;
            }
            if (completions.isFlushed() || postFailure != null) {
                reasonDeadline = reasonDeadline == 0 ? System.nanoTime() + REASON_NANOS : reasonDeadline;
                if (System.nanoTime() - reasonDeadline >= 0) {
                    return unknownReason();
                }
                wait.await(SHORT_WAIT_MILLIS);
            } else if (!poll()) {
                awaitCompletion();
            }
        }
    }

    private RdmaException fault() {
        RdmaException failure = completions.failure();
        return failure == null ? fault : failure;
    }

    /**
     * Why the connection ends. The peer may have disconnected because this device refused an access; not all devices
     * report that.
     */
    private RdmaException reason() throws NativeException {
        RdmaException known = fault();
        if (known == null && asksState && queuePair.hasFailed()) {
            return new RdmaException(
                    Kind.PROTOCOL,
                    "the queue pair had failed when the peer disconnected: this end had refused a request of the peer,"
                            + " most likely an access to memory");
        }
        return known;
    }

    private RdmaException unknownReason() {
        RdmaException failed = postFailure;
        return failed != null
                ? failed
                : new RdmaException(Kind.DISCONNECTED, "the queue pair has failed, and the device does not say why");
    }

    /** Polls for completions for a while; returns true as soon as there are some. */
    private boolean poll() {
        if (pollNanos == 0) {
            return false;
        }
        long end = System.nanoTime() + pollNanos;
        do {
            if (completions.poll() > 0) {
                completions.deliver();
                return true;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - end < 0 && !isToEnd());
        return false;
    }

    private void awaitCompletion() throws NativeException {
        wait.arm(!receives.isBusy()); // a failure of the queue pair shows in a receive, where one is posted
        if (completions.poll() > 0) {
            completions.deliver();
            return;
        }
        if (!isToEnd()) {
            wait.await(-1);
        }
    }

    /** Whether there is a cause to end, or a sign that the connection has failed. */
    private boolean isToEnd() {
        return closing || disconnected || postFailure != null || fault() != null;
    }

    private void end(RdmaException cause) {
        teardown.refusePosts();
        RdmaException why = cause;
        try {
            if (established && cause == null && !disconnected) {
                awaitQuiet(SEND_REST_NANOS, false);
            }
            why = cause == null ? completions.failure() : cause;
            if (established) {
                teardown.disconnect();
                awaitQuiet(FLUSH_NANOS, true);
                awaitPeer();
            }
        } catch (Throwable e) {
            Log.LOGGER.error("a connection did not wait for its end", e);
        }
        deliverEnd(why);
    }

    /** Calls onDisconnected, whatever has failed before. By then no memory is in reach. */
    private void deliverEnd(RdmaException why) {
        try {
            completions.close(); // a thread that polls later would give windows back that nobody frees
            teardown.destroyQueues();
            completions.deliverRest();
        } finally {
            try {
                handler.onDisconnected(why);
            } catch (Throwable e) {
                Log.LOGGER.error("a connection handler failed in onDisconnected", e);
            }
        }
    }

    /**
     * Waits briefly for the peer's answer. Where the id is destroyed before, a lost disconnect request is not repeated.
     */
    private void awaitPeer() {
        long deadline = System.nanoTime() + PEER_NANOS;
        try {
            for (long left = PEER_NANOS;
                    left > 0 && !disconnected && fault == null;
                    left = deadline - System.nanoTime()) {
                wait.await((int) (left / NANOS_PER_MILLI + 1));
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("waiting for a peer to disconnect failed", e);
        }
    }

    /** Polls completions until no request is under way, or the time is over. */
    private void awaitQuiet(long nanos, boolean both) {
        long deadline = System.nanoTime() + nanos;
        try {
            while (sends.isBusy() || (both && receives.isBusy())) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || (!both && (completions.failure() != null || completions.isFlushed()))) {
                    return;
                }
                if (completions.poll() == 0) {
                    wait.arm(true);
                    if (completions.poll() == 0) {
                        wait.await((int) Math.min(SHORT_WAIT_MILLIS, left / NANOS_PER_MILLI + 1));
                    }
                }
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("waiting for a connection's last completions failed", e);
        }
    }
}
