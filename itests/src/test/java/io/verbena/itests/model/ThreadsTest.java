package io.verbena.itests.model;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several threads of two mounts write one file, each in a range of its own, and append to one log for each mount, while
 * connections are lost and transports replaced. The file holds each thread's octets, and each log holds each record
 * once, complete and in its thread's order. {@code -Dverbena.model.seed} determines the threads' choices,
 * {@code -Dverbena.model.steps} their number.
 */
class ThreadsTest {
    private static final int THREADS = 6;
    private static final int STEPS = 250;
    private static final long BOUND_SECONDS = 7000;

    private final long seed = Long.getLong("verbena.model.seed", System.nanoTime());
    private final int steps = Math.min(Integer.getInteger("verbena.model.steps", STEPS), Short.MAX_VALUE);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "rpcrdma=1, 'rpcrdma=2,rsize=4096,wsize=4096', false",
        "'rpcrdma=2,wsize=2048', rpcrdma=1, true",
    })
    void shouldKeepWhatEachThreadWrites(String one, String other, boolean troubled) throws Exception {
        System.out.println("ThreadsTest: -Dverbena.model.seed=" + seed + " -Dverbena.model.steps=" + steps);
        try (EmbeddedMountPair pair = new EmbeddedMountPair(folder, seed, one, other)) {
            SharedRanges.make(pair.side(0), THREADS);
            List<Worker> workers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                workers.add(new Worker(pair.side(i / 4), i, times(steps), seed));
            }
            work(pair, workers, troubled);
            SharedRanges.check(workers, name -> pair.content(name).orElseThrow());
        }
    }

    private static BooleanSupplier times(int steps) {
        AtomicInteger left = new AtomicInteger(steps);
        return () -> left.getAndDecrement() > 0;
    }

    private void work(EmbeddedMountPair pair, List<Worker> workers, boolean troubled) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (Worker worker : workers) {
                all.add(threads.submit(worker));
            }
            if (troubled) {
                Random random = new Random(seed);
                while (all.stream().anyMatch(each -> !each.isDone())) {
                    trouble(pair, random);
                }
            }
            for (Future<Void> each : all) {
                each.get(BOUND_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Causes one disturbance at a time, so that the threads make progress: a swap waits for operations under way. */
    private static void trouble(EmbeddedMountPair pair, Random random) throws Exception {
        switch (random.nextInt(3)) {
            case 0 -> {
                boolean unused = pair.cut();
            }
            case 1 -> {
                boolean unused = pair.swap(random.nextInt(2));
            }
            default -> {
                boolean unused = pair.reconnect(random.nextInt(2));
            }
        }
        pair.awaitWork(random.nextInt(2));
    }
}
