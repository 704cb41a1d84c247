package io.verbena.benchmarks;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

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

    Outstanding(Operation operation) {
        this.operation = operation;
    }

    /** Returns operations per second, with {@code count} operations in flight. */
    double run(int count, Duration time) {
        long start = System.nanoTime();
        long deadline = start + time.toNanos();
        completed.set(0);
        run(count, number -> System.nanoTime() < deadline);
        return completed.get() * 1e9 / (System.nanoTime() - start);
    }

    /** Runs a number of operations, {@code count} of them in flight. */
    void run(int count, int operations) {
        long end = next.get() + operations;
        run(count, number -> number < end);
    }

    private void run(int count, LongPredicate wanted) {
        CompletableFuture<?>[] lanes = new CompletableFuture<?>[count];
        for (int i = 0; i < count; i++) {
            CompletableFuture<Void> lane = new CompletableFuture<>();
            lanes[i] = lane;
            step(i, lane, next.getAndIncrement(), wanted);
        }
        CompletableFuture.allOf(lanes).join();
    }

    /** What is complete at once, as from a cache, is followed by a turn of the loop: no stack holds that many calls. */
    private void step(int index, CompletableFuture<Void> lane, long number, LongPredicate wanted) {
        for (long each = number; ; ) {
            CompletableFuture<?> started = operation.start(index, each);
            if (!started.isDone()) {
                started.thenRun(() -> follow(index, lane, wanted)).exceptionally(failure -> {
                    lane.completeExceptionally(failure);
                    return null;
                });
                return;
            }
            started.join();
            completed.incrementAndGet();
            each = next.getAndIncrement();
            if (!wanted.test(each)) {
                lane.complete(null);
                return;
            }
        }
    }

    private void follow(int index, CompletableFuture<Void> lane, LongPredicate wanted) {
        completed.incrementAndGet();
        long following = next.getAndIncrement();
        if (wanted.test(following)) {
            step(index, lane, following, wanted);
        } else {
            lane.complete(null);
        }
    }
}
