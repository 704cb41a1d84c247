package io.verbena.nfs41.client.internal;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was replaced under a mount: counted, measured, written to the log, and told to who listens. Thread safe. */
final class Swaps {
    private static final Logger LOG = LoggerFactory.getLogger(Swaps.class);

    private final String mount;
    private final AtomicReference<SwapListener> listener = new AtomicReference<>();
    private final AtomicLong replayed = new AtomicLong();

    // guarded by this
    private int transports;
    private String lastTransport;
    /** The swap that is under way, or null. */
    private Swap present;

    private static final class Swap {
        private final long begunNanos = System.nanoTime();
        private String drain;
        private long pauseMillis = SwapListener.UNKNOWN;

        private boolean isDone() {
            return drain != null && pauseMillis != SwapListener.UNKNOWN;
        }
    }

    Swaps(String mount) {
        this.mount = mount;
    }

    void listener(SwapListener told) {
        listener.set(told);
    }

    /** Without effect where another one has come already. */
    void noListener(SwapListener gone) {
        listener.compareAndSet(gone, null);
    }

    /** From now on nothing is sent by a transport that goes. */
    synchronized void transportLeft() {
        present = new Swap();
    }

    /**
     * What was under way by it is answered, or not waited for any longer.
     *
     * @param unanswered how many requests are not, and are sent again
     */
    void transportDrained(int unanswered) {
        synchronized (this) {
            if (present != null) {
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - present.begunNanos);
                present.drain = "drained in " + millis + " ms, " + unanswered + " requests left without an answer";
            }
        }
        finishIfDone();
    }

    /** There is a connection again; perhaps before the old one is drained. */
    void connected() {
        synchronized (this) {
            if (present != null && present.pauseMillis == SwapListener.UNKNOWN) {
                present.pauseMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - present.begunNanos);
            }
        }
        finishIfDone();
    }

    private void finishIfDone() {
        long pause;
        String durations;
        synchronized (this) {
            if (present == null || !present.isDone()) {
                return;
            }
            pause = present.pauseMillis;
            durations = present.drain + ", nothing sent for " + pause + " ms";
            transports++;
            lastTransport = durations;
            present = null;
        }
        tell("transport", "mount " + mount + ": the transport was replaced: " + durations, pause);
    }

    /** A request is sent again, as it had no answer. */
    void replayed() {
        replayed.incrementAndGet();
    }

    /** Logs, and tells who listens; his failure is his own. */
    void tell(String what, String message, long pauseMillis) {
        LOG.info("{}", message);
        SwapListener told = listener.get();
        if (told != null) {
            try {
                told.swapped(mount, what, message, pauseMillis);
            } catch (RuntimeException e) {
                LOG.warn("mount {}: who is told of swaps failed", mount, e);
            }
        }
    }

    /** How many times the transport was replaced. */
    synchronized int transports() {
        return transports;
    }

    /** How many requests were sent again. */
    long replayedRequests() {
        return replayed.get();
    }

    /** For people to read. */
    synchronized void report(Map<String, String> all) {
        all.put("transportSwaps", String.valueOf(transports));
        all.put("replayedRequests", String.valueOf(replayed.get()));
        if (lastTransport != null) {
            all.put("lastTransportSwap", lastTransport);
        }
    }
}
