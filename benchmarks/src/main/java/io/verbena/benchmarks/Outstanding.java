package io.verbena.benchmarks;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps a fixed number of asynchronous operations in flight. Each completion starts the next operation on the
 * completing thread, so that the measurement includes no avoidable hand-off between threads.
 */
final class Outstanding {
    /** Starts one operation. */
    @FunctionalInterface
    interface Operation {
        /**
         * @param lane the number of this operation among those in flight, so that it can use a buffer of its own
         * @param number the number of this operation among all operations
         */
        CompletableFuture<?> start(int lane, long number);
    }

    private final Operation operation;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private long deadline;

    Outstanding(Operation operation) {
        this.operation = operation;
    }

    /** Returns operations per second, with {@code count} operations in flight. */
    double run(int count, Duration time) {
        long start = System.nanoTime();
        deadline = start + time.toNanos();
        completed.set(0);
        CompletableFuture<?>[] lanes = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
            CompletableFuture<Void> lane = new CompletableFuture<>();
            lanes[i] = lane;
            step(i, lane);
        }
        CompletableFuture.allOf(lanes).join();
        return completed.get() * 1e9 / (System.nanoTime() - start);
    }

    private void step(int index, CompletableFuture<Void> lane) {
        operation
                .start(index, next.getAndIncrement())
                .thenRun(() -> {
                    completed.incrementAndGet();
                    if (System.nanoTime() < deadline) {
                        step(index, lane);
                    } else {
                        lane.complete(null);
                    }
                })
                .exceptionally(failure -> {
                    lane.completeExceptionally(failure);
                    return null;
                });
    }
}
