package io.verbena.nfs41.client.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was replaced under a mount: counted, measured, written to the log, and told to who listens. Thread safe. */
final class Swaps {
    private static final Logger LOG = LoggerFactory.getLogger(Swaps.class);
    private static final String SWAPS = "swaps";
    private static final String REPLAYED = "replayed";
    private static final String LAST = "lastSwap";

    private final String mount;
    private final AtomicReference<SwapListener> listener = new AtomicReference<>();
    private final AtomicLong replayed = new AtomicLong();

    // guarded by this
    private int transports;
    private String lastTransport;
    /** Those under way: a transport may go while the one before is still being drained. */
    private final List<Swap> unfinished = new ArrayList<>();
    /** Of lines that are gone, and of mounts whose place this one takes. */
    private Past past = Past.NONE;

    /**
     * What happened before.
     *
     * @param swaps how often something was replaced
     * @param replayed how much was sent again for it
     * @param last the last of it, for people, or null
     */
    record Past(long swaps, long replayed, String last) {
        static final Past NONE = new Past(0, 0, null);

        /** Another one of that kind. */
        Past and(String what) {
            return new Past(swaps + 1, replayed, what);
        }
    }

    /** One replacement of the transport. */
    static final class Swap {
        private final long begunNanos = System.nanoTime();
        private String drain;
        private long pauseMillis = SwapListener.UNKNOWN;

        private boolean isDone() {
            return drain != null && pauseMillis != SwapListener.UNKNOWN;
        }

        private String durations() {
            return drain + ", nothing sent for " + pauseMillis + " ms";
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
    synchronized Swap transportLeft() {
        Swap begun = new Swap();
        unfinished.add(begun);
        return begun;
    }

    /**
     * What was under way by it is answered, or not waited for any longer.
     *
     * @param unanswered how many requests are not, and are sent again
     */
    void transportDrained(Swap swap, int unanswered) {
        synchronized (this) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - swap.begunNanos);
            swap.drain = "drained in " + millis + " ms, " + unanswered + " requests left without an answer";
        }
        tellOfFinished();
    }

    /** There is a connection again; perhaps before the old one is drained. */
    void connected() {
        synchronized (this) {
            for (Swap swap : unfinished) {
                if (swap.pauseMillis == SwapListener.UNKNOWN) {
                    swap.pauseMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - swap.begunNanos);
                }
            }
        }
        tellOfFinished();
    }

    private void tellOfFinished() {
        List<Swap> finished;
        synchronized (this) {
            finished = unfinished.stream().filter(Swap::isDone).toList();
            unfinished.removeAll(finished);
            for (Swap swap : finished) {
                transports++;
                lastTransport = swap.durations();
                past = past.and("the transport was replaced: " + lastTransport);
            }
        }
        for (Swap swap : finished) {
            tell("transport", "mount " + mount + ": the transport was replaced: " + swap.durations(), swap.pauseMillis);
        }
    }

    /** A connection is not used any more: what it counted is not forgotten. */
    synchronized void ended(Map<String, String> line) {
        past = with(line);
    }

    /** The mount is to take the place of one before: what was counted there goes on, even if it never gets that far. */
    synchronized void succeed(Past before) {
        past = before;
    }

    /** The mount has taken that place. */
    synchronized void replaced(String how) {
        past = past.and(how);
    }

    /** What a mount that takes this one's place goes on counting from. */
    synchronized Past total(Map<String, String> line) {
        Past all = with(line);
        return new Past(all.swaps, all.replayed + replayed.get(), all.last);
    }

    private Past with(Map<String, String> line) {
        long swaps = number(line, SWAPS);
        return swaps == 0 ? past : new Past(past.swaps + swaps, past.replayed + number(line, REPLAYED), line.get(LAST));
    }

    private static long number(Map<String, String> line, String key) {
        try {
            return Long.parseLong(line.getOrDefault(key, "0"));
        } catch (NumberFormatException e) {
            LOG.debug("a connection tells no number as its {}", key, e);
            return 0;
        }
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

    /**
     * For people to read.
     *
     * @param all has what the present connection tells of itself, whose counts become those of all
     */
    synchronized void report(Map<String, String> all) {
        Past total = total(all);
        all.put(SWAPS, String.valueOf(total.swaps));
        all.put(REPLAYED, String.valueOf(total.replayed));
        if (total.last != null) {
            all.put(LAST, total.last);
        }
        all.put("transportSwaps", String.valueOf(transports));
        all.put("replayedRequests", String.valueOf(replayed.get()));
        if (lastTransport != null) {
            all.put("lastTransportSwap", lastTransport);
        }
    }
}
