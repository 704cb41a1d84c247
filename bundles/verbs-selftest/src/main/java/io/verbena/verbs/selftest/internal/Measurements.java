package io.verbena.verbs.selftest.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.Bandwidth;
import io.verbena.verbs.selftest.Latency;
import io.verbena.verbs.selftest.SelfTestOptions;
import io.verbena.verbs.selftest.internal.Initiator.Measurement;
import io.verbena.verbs.selftest.internal.Message.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Measures latency and bandwidth of a connection. */
final class Measurements {
    private final Initiator end;
    private final SelfTestOptions options;

    Measurements(Initiator end, SelfTestOptions options) {
        this.end = end;
        this.options = options;
    }

    Latency latency() throws RdmaException, InterruptedException {
        end.ask(Message.of(Kind.PING_PONG, options.messageSize(), 0));
        PingPong measurement = new PingPong(end, options);
        return run(measurement, measurement::start, measurement.result());
    }

    Bandwidth bandwidth(Operation operation, int size, int outstanding) throws RdmaException, InterruptedException {
        boolean write = operation == Operation.RDMA_WRITE;
        long seed = size;
        Message remote = end.ask(Message.of(write ? Kind.OPEN_FOR_WRITE : Kind.OPEN_FOR_READ, size, seed));
        OpenedMemory local =
                OpenedMemory.open(end.connection(), size, Access.LOCAL).fill(write ? seed : seed + 1);
        try {
            TransferStream stream = new TransferStream(end, operation, local, remote, outstanding, options);
            long transfers = run(stream, stream::start, stream.result());
            long until = stream.measuredTo();
            if (write) {
                end.ask(Message.of(Kind.ECHO)); // arrives after the writes; completed writes may still be on their way
                until = System.nanoTime();
                end.ask(Message.of(Kind.COMPARE, 0, seed));
            } else {
                StepFailure.check(local.holds(seed), "RDMA Reads brought wrong contents");
            }
            double seconds = (until - stream.measuredFrom()) / 1e9;
            return new Bandwidth(operation, size, outstanding, transfers, transfers * (double) size / seconds);
        } finally {
            local.region().invalidate();
        }
    }

    /** Starts a measurement. */
    @FunctionalInterface
    private interface Start {
        void run() throws RdmaException;
    }

    private <T> T run(Measurement measurement, Start start, CompletableFuture<T> result)
            throws RdmaException, InterruptedException {
        end.measure(measurement);
        try {
            start.run();
            // the time of the measurement, a tenth for the warm-up, and some for transfers under way at the end
            long bound = options.time().multipliedBy(2).plus(end.timeout()).toNanos();
            return result.get(bound, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            end.close(); // so that no event of the measurement comes later
            throw new RdmaException(RdmaException.Kind.TIMED_OUT, "the measurement has stopped halfway", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RdmaException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            end.measure(null);
        }
    }
}
