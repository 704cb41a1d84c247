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
        /** Returns the number of what is counted, which is one for most operations. */
        long run() throws IOException;
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
    public double run(Duration time) throws IOException {
        long start = System.nanoTime();
        long end = start + time.toNanos();
        long count = 0;
        do {
            count += operation.run();
        } while (System.nanoTime() < end);
        return count * 1e9 / (System.nanoTime() - start);
    }
}
