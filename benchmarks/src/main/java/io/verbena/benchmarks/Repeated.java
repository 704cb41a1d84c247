package io.verbena.benchmarks;

import java.io.IOException;
import java.time.Duration;

/** An operation that blocks, one after the other. */
final class Repeated implements Case {
    private final String name;
    private final Operation operation;

    /** An operation that blocks. */
    @FunctionalInterface
    interface Operation {
        void run() throws IOException;
    }

    Repeated(String name, Operation operation) {
        this.name = name;
        this.operation = operation;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean inOctets() {
        return false;
    }

    @Override
    public double run(Duration time) throws IOException {
        long start = System.nanoTime();
        long end = start + time.toNanos();
        long count = 0;
        do {
            operation.run();
            count++;
        } while (System.nanoTime() < end);
        return count * 1e9 / (System.nanoTime() - start);
    }

    @Override
    public void close() {
        // the mount belongs to the benchmark
    }
}
