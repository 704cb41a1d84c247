package io.verbena.verbs.natives.internal;

import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.util.concurrent.TimeUnit;

/** The one thread of a connection: takes its completions, tells its handler, and ends it. */
final class ReceiveThread implements Runnable, SendQueue.Collector {
    /** What it ends when it ends. */
    interface Ending {
        /** Posts are refused from now on; what was accepted is handed over. */
        void refusePosts();

        void disconnect();

        /** After this nobody reaches any memory of the connection's. */
        void destroyQueues();

        /** Frees all else; the last thing. */
        void finish();
    }

    private static final long SEND_REST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PEER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** How long after its queue pair has failed a connection waits for the device or the manager to say why. */
    private static final long REASON_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int SHORT_WAIT_MILLIS = 20;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final QueuePair queuePair;
    private final Completions completions;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final ConnectionHandler handler;
    private final Ending ending;
    private final boolean asksState;
    private final long pollNanos;
    private final CompletionWait wait;
    private final Thread thread;

    private volatile boolean established;
    private volatile boolean closing;
    private volatile boolean disconnected;
    private volatile RdmaException fault;
    private volatile RdmaException postFailure;

    /** @param asksState whether a queue pair's state tells that it failed before the peer disconnected */
    ReceiveThread(
            CompletionWait wait,
            QueuePair queuePair,
            Completions completions,
            SendQueue sends,
            ReceiveQueue receives,
            ConnectionHandler handler,
            Ending ending,
            boolean asksState,
            int pollMicros,
            String name) {
        this.wait = wait;
        this.queuePair = queuePair;
        this.completions = completions;
        this.sends = sends;
        this.receives = receives;
        this.handler = handler;
        this.ending = ending;
        this.asksState = asksState;
        pollNanos = pollMicros * NANOS_PER_MICRO;
        thread = Threads.make(name, this);
    }

    void start() {
        thread.start();
    }

    @Override
    public boolean collect() {
        boolean any = completions.take() > 0;
        if (any) {
            wait.wake(); // to tell of them: this thread too, which may be about to wait
        }
        return any;
    }

    /** The connection stands: completions are told from now on. Any thread, as all that follow. */
    void established() {
        established = true;
        wait.wake();
    }

    /** Ends the connection in an orderly way. */
    void close() {
        closing = true;
        wait.wake();
    }

    /** The peer has ended the connection. */
    void disconnected() {
        disconnected = true;
        wait.wake();
    }

    /** Something has broken the connection. */
    void fail(RdmaException cause) {
        synchronized (this) {
            if (fault == null) {
                fault = cause;
            }
        }
        wait.wake();
    }

    /** A post could not be handed over; that the connection has ended may be all there is to it. */
    void postFailed(RdmaException cause) {
        postFailure = cause;
        wait.wake();
    }

    void join() {
        Threads.joinUnlessCurrent(thread);
    }

    /** Frees all that the connection has; in place of {@link #start}. */
    void discard() {
        ending.refusePosts();
        ending.destroyQueues();
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
        wait.acknowledge();
        ending.finish();
        wait.close();
    }

    /** Until the connection is to end; returns why, or null for an orderly end. */
    private RdmaException work() throws NativeException {
        while (!established) {
            if (closing || fault != null || disconnected) {
                return fault;
            }
            wait.await(-1);
        }
        long reasonDeadline = 0;
        for (; ; ) {
            boolean any = completions.take() > 0;
            completions.tell();
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

    /** A peer that disconnects after our device has refused it something: not all devices tell of the latter. */
    private RdmaException reason() throws NativeException {
        RdmaException known = fault();
        if (known == null && asksState && queuePair.hasFailed()) {
            return new RdmaException(
                    Kind.PROTOCOL,
                    "the queue pair had failed when the peer disconnected: it was refused what it asked for, an access"
                            + " to memory most likely");
        }
        return known;
    }

    private RdmaException unknownReason() {
        RdmaException failed = postFailure;
        return failed != null
                ? failed
                : new RdmaException(Kind.DISCONNECTED, "the queue pair has failed, and the device does not say why");
    }

    /** Looks for completions for a while; true as soon as there is something. */
    private boolean poll() {
        if (pollNanos == 0) {
            return false;
        }
        long end = System.nanoTime() + pollNanos;
        do {
            if (completions.take() > 0) {
                completions.tell();
                return true;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - end < 0 && !isToEnd());
        return false;
    }

    private void awaitCompletion() throws NativeException {
        wait.arm();
        if (completions.take() > 0) {
            completions.tell();
            return;
        }
        if (!isToEnd()) {
            wait.await(-1);
        }
    }

    /** Whether there is a reason to end, or to look for one. */
    private boolean isToEnd() {
        return closing || disconnected || postFailure != null || fault() != null;
    }

    private void end(RdmaException cause) {
        ending.refusePosts();
        if (established && cause == null && !disconnected) {
            awaitQuiet(SEND_REST_NANOS, false);
        }
        RdmaException why = cause == null ? completions.failure() : cause;
        if (established) {
            ending.disconnect();
            awaitQuiet(FLUSH_NANOS, true);
            awaitPeer();
        }
        ending.destroyQueues();
        completions.tellRest();
        try {
            handler.onDisconnected(why);
        } catch (RuntimeException | Error e) {
            Log.LOGGER.error("a connection handler failed in onDisconnected", e);
        }
    }

    /** Waits a little for the peer's answer: an id that goes before it leaves a lost request to disconnect unrepeated. */
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

    /** Takes completions until nothing is under way any more, or the time is over. */
    private void awaitQuiet(long nanos, boolean both) {
        long deadline = System.nanoTime() + nanos;
        try {
            while (sends.isBusy() || (both && receives.isBusy())) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || (!both && (completions.failure() != null || completions.isFlushed()))) {
                    return;
                }
                if (completions.take() == 0) {
                    wait.arm();
                    if (completions.take() == 0) {
                        wait.await((int) Math.min(SHORT_WAIT_MILLIS, left / NANOS_PER_MILLI + 1));
                    }
                }
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("waiting for a connection's last completions failed", e);
        }
    }
}
