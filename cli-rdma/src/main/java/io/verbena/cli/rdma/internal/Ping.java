package io.verbena.cli.rdma.internal;

import io.verbena.cli.Failures;
import io.verbena.cli.Latency;
import io.verbena.cli.Text;
import io.verbena.metrics.Distribution;
import io.verbena.metrics.DurationRecorder;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Makes NULL calls on one connection, one after the other, and summarizes the results. */
final class Ping {
    private static final int NFS_PROGRAM = 100_003;
    private static final int NFS_VERSION = 4;
    private static final int NULL = 0;

    /** Receives a line about each call. */
    @FunctionalInterface
    interface Lines {
        void tell(String line) throws IOException;
    }

    private final RpcConnection connection;
    private final Duration timeout;
    private final Lines lines;
    private final DurationRecorder roundTrips = new DurationRecorder();
    private long sent;
    private long replies;
    private String lastFailure;

    /**
     * Creates a ping.
     *
     * @param lines receives a line for each reply
     */
    Ping(RpcConnection connection, Duration timeout, Lines lines) {
        this.connection = connection;
        this.timeout = timeout;
        this.lines = lines;
    }

    /** Makes {@code calls} calls, or fewer if the thread is interrupted. */
    void run(long calls, long pauseNanos) throws IOException {
        try {
            for (long number = 1; number <= calls; number++) {
                long begun = System.nanoTime();
                call(number);
                long left = pauseNanos - (System.nanoTime() - begun);
                if (left > 0 && number < calls) {
                    TimeUnit.NANOSECONDS.sleep(left);
                } else if (Thread.interrupted()) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            // After Ctrl-C, the summary of the calls so far follows.
            return;
        }
    }

    private void call(long number) throws IOException, InterruptedException {
        RpcCall call = new RpcCall(NFS_PROGRAM, NFS_VERSION, NULL, Credential.none()).timeout(timeout);
        sent++;
        long begun = System.nanoTime();
        CompletableFuture<Long> reply = connection.call(call, results -> System.nanoTime());
        try {
            long nanos = reply.get() - begun;
            replies++;
            roundTrips.record(nanos);
            lines.tell("reply " + number + ": time=" + Latency.millis(nanos) + " ms");
        } catch (InterruptedException e) {
            sent--; // the call was abandoned
            reply.cancel(false);
            throw e;
        } catch (ExecutionException e) {
            lastFailure = Text.printable(String.valueOf(Failures.unwrap(e).getMessage()));
            lines.tell("call " + number + ": " + lastFailure);
        }
    }

    long sent() {
        return sent;
    }

    long replies() {
        return replies;
    }

    /** Returns the failure of the last call without a reply, or null. */
    String lastFailure() {
        return lastFailure;
    }

    Distribution roundTrips() {
        return roundTrips.snapshot();
    }
}
