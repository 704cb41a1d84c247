package io.verbena.nfs41.client.internal.figures;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the replacements (hot swaps) under a mount: counts, measures and logs them, and tells the listener. Thread
 * safe.
 */
public final class SwapRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(SwapRecorder.class);
    private static final String SWAPS = "swaps";
    private static final String REPLAYED = "replayed";
    private static final String LAST = "lastSwap";

    private final String mount;
    private final Runtime runtime;
    private final AtomicReference<MountSwapListener> listener = new AtomicReference<>();
    private final AtomicLong replayed = new AtomicLong();

    @GuardedBy("this")
    private int transports;

    @GuardedBy("this")
    private String lastTransport;

    /** The swaps under way: a transport may be left while the one before is still being drained. */
    @GuardedBy("this")
    private final List<Swap> unfinished = new ArrayList<>();

    /** The counts of closed connections, and of the mounts before this one. */
    @GuardedBy("this")
    private Past past = Past.NONE;

    /**
     * The replacements so far.
     *
     * @param swaps the number of replacements
     * @param replayed the number of requests that were sent again
     * @param last the last replacement, for users, or null
     */
    public record Past(long swaps, long replayed, String last) {
        public static final Past NONE = new Past(0, 0, null);

        /** Another one of that kind. */
        Past and(String what) {
            return new Past(swaps + 1, replayed, what);
        }
    }

    /** One replacement of the transport. Guarded by {@link SwapRecorder}, which it does not know, until it is done. */
    public static final class Swap {
        private final long begunNanos;
        private String drain;
        private long pauseMillis = MountSwapListener.UNKNOWN;

        private Swap(long begunNanos) {
            this.begunNanos = begunNanos;
        }

        private boolean isDone() {
            return drain != null && pauseMillis != MountSwapListener.UNKNOWN;
        }

        private String durations() {
            return drain + ", nothing sent for " + pauseMillis + " ms";
        }
    }

    public SwapRecorder(String mount, Runtime runtime) {
        this.mount = mount;
        this.runtime = runtime;
    }

    public void listener(MountSwapListener told) {
        listener.set(told);
    }

    /** Removes the listener. Without effect where another one has come already. */
    public void noListener(MountSwapListener gone) {
        listener.compareAndSet(gone, null);
    }

    /** A transport is being left: no request is sent by it from now on. */
    public synchronized Swap transportLeft() {
        Swap begun = new Swap(runtime.nanoTime());
        unfinished.add(begun);
        return begun;
    }

    /**
     * The requests under way on the left transport are answered, or awaited no longer.
     *
     * @param unanswered the number of requests that are sent again
     */
    public void transportDrained(Swap swap, int unanswered) {
        synchronized (this) {
            long millis = millisSince(swap);
            swap.drain = "drained in " + millis + " ms, " + unanswered + " requests left without an answer";
        }
        tellOfFinished();
    }

    /** There is a connection again, perhaps before the old one is drained. */
    public void connected() {
        synchronized (this) {
            for (Swap swap : unfinished) {
                if (swap.pauseMillis == MountSwapListener.UNKNOWN) {
                    swap.pauseMillis = millisSince(swap);
                }
            }
        }
        tellOfFinished();
    }

    private long millisSince(Swap swap) {
        return TimeUnit.NANOSECONDS.toMillis(runtime.nanoTime() - swap.begunNanos);
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

    /** A connection is not used any more: adds its counts to the total. */
    public synchronized void ended(Map<String, String> line) {
        past = with(line);
    }

    /** The mount is to take the place of an earlier one, and continues its counts from now on. */
    public synchronized void takeOver(Past before) {
        past = before;
    }

    /** The mount has taken that place. */
    public synchronized void replaced(String how) {
        past = past.and(how);
    }

    /** The counts for the mount that takes the place of this one. */
    public synchronized Past total(Map<String, String> line) {
        Past all = with(line);
        return new Past(all.swaps, all.replayed + replayed.get(), all.last);
    }

    @GuardedBy("this")
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

    /** An unanswered request is sent again. */
    public void replayed() {
        replayed.incrementAndGet();
    }

    /** Logs a replacement and tells the listener. A failure of the listener is logged only. */
    public void tell(String what, String message, long pauseMillis) {
        LOG.info("{}", message);
        MountSwapListener told = listener.get();
        if (told != null) {
            try {
                told.swapped(mount, what, message, pauseMillis);
            } catch (Throwable e) {
                LOG.warn("mount {}: the listener for swaps failed", mount, e);
            }
        }
    }

    /**
     * Adds the replacements to a mount's settings, as users read them.
     *
     * @param all the settings of the present connection; its counts are replaced by the totals
     */
    public synchronized void report(Map<String, String> all) {
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
