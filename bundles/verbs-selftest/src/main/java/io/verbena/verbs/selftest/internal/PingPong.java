package io.verbena.verbs.selftest.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.Latency;
import io.verbena.verbs.selftest.SelfTestOptions;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** Measures latency with one message at a time: on each answer the handler sends the next message. */
final class PingPong implements Initiator.Measurement {
    /** The most round-trip times that are kept, 4 octets each. */
    private static final int MOST = 1_000_000;

    private static final byte MORE = 0;
    private static final byte LAST = 1;

    private final Initiator end;
    private final int size;
    private final int most;
    private final int warmUp;
    private final long warmUpNanos;
    private final long nanos;

    @GuardedBy("this")
    private final int[] times;

    private final CompletableFuture<Latency> result = new CompletableFuture<>();

    @GuardedBy("this")
    private long began;

    @GuardedBy("this")
    private long sent;

    @GuardedBy("this")
    private long warmUps;

    @GuardedBy("this")
    private int count;

    @GuardedBy("this")
    private boolean last;

    PingPong(Initiator end, SelfTestOptions options) {
        this.end = end;
        size = options.messageSize();
        most = options.count() == 0 ? MOST : Math.min(MOST, options.count());
        warmUp = options.count() == 0 ? Integer.MAX_VALUE : most / 10;
        nanos = options.time().toNanos();
        warmUpNanos = nanos / 10;
        times = new int[most];
    }

    CompletableFuture<Latency> result() {
        return result;
    }

    synchronized void start() throws RdmaException {
        began = System.nanoTime();
        send();
    }

    @GuardedBy("this")
    private void send() throws RdmaException {
        sent = System.nanoTime();
        end.sendRaw(last ? LAST : MORE, size);
    }

    @Override
    public synchronized void onMessage(byte first) throws RdmaException {
        long now = System.nanoTime();
        if (last) {
            result.complete(latency());
            return;
        }
        if (warmUps < warmUp && count == 0 && now - began < warmUpNanos) {
            warmUps++;
        } else {
            times[count++] = (int) Math.min(Integer.MAX_VALUE, now - sent);
            last = count == most || now - began > warmUpNanos + nanos;
        }
        send();
    }

    @GuardedBy("this")
    private Latency latency() {
        int[] sorted = Arrays.copyOf(times, count);
        Arrays.sort(sorted);
        return new Latency(size, count, half(sorted[0]), half(sorted[count / 2]), half(sorted[(int) (count * 0.99)]));
    }

    private static double half(int roundTripNanos) {
        return roundTripNanos / 2e3;
    }

    @Override
    public void onTransfer(Completion completion) throws RdmaException {
        throw Message.protocol("a transfer completed that was not asked for");
    }

    @Override
    public void onEnd(RdmaException cause) {
        result.completeExceptionally(cause);
    }
}
