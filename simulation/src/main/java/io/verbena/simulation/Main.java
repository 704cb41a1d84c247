package io.verbena.simulation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.simulation.coverage.StateCoverage;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.world.FaultChoice;
import io.verbena.simulation.world.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs worlds.
 *
 * <pre>
 * simulation/run --seeds A..B [--minutes N] [--jobs N]   runs the worlds of these seeds
 * simulation/run --story SEED                            tells what happens in the world of a seed
 * simulation/run --shrink SEED                           tells what happens, with as few faults as it fails by
 * </pre>
 */
public final class Main {
    private static final long MINUTE = 60_000_000_000L;
    private static final long TELL_NANOS = 5 * MINUTE;

    private static final long TWICE = 500;
    private static final int FEW_TRIES = 60;

    private final RunOptions options;
    private final World world;
    private final long deadline;
    private final AtomicLong next;
    private final List<Outcome> failed = new ArrayList<>();
    private final Map<String, Long> faults = new TreeMap<>();
    private final Map<String, Long> consequences = new TreeMap<>();
    private final long start = System.nanoTime();
    private long told = start;
    private long seeds;
    private long operations;
    private long counts;
    private long steps;
    private double virtualSeconds;
    private long lost;

    /** Runs the world of a seed. */
    interface World {
        Outcome run(long seed) throws IOException, InterruptedException;
    }

    Main(RunOptions options, World world) {
        this.options = options;
        this.world = world;
        this.next = new AtomicLong(options.first());
        this.deadline = start + options.minutes() * MINUTE;
    }

    public static void main(String[] arguments) throws Exception {
        RunOptions options = options(arguments);
        if (options.isTold()) {
            System.exit(tell(options.first(), options.isShrunk()));
        }
        Main main = new Main(options, Main::run);
        int status = main.runAll();
        main.tellFirst();
        System.exit(status);
    }

    /** Runs some seeds twice, to see whether they repeat each event. */
    private static Outcome run(long seed) throws IOException, InterruptedException {
        Outcome outcome = Seeds.run(seed, FaultChoice.ALL, null);
        if (seed % TWICE == 0 && Seeds.run(seed, FaultChoice.ALL, null).hash() != outcome.hash()) {
            return Outcome.failed(seed, "the world is another one when it is run again");
        }
        return outcome;
    }

    private static RunOptions options(String[] arguments) {
        try {
            return RunOptions.of(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println(RunOptions.USAGE);
            System.exit(2);
            throw e;
        }
    }

    /** Tells of a world. */
    private static int tell(long seed, boolean shrunk) throws IOException, InterruptedException {
        FaultChoice choice = FaultChoice.ALL;
        if (shrunk) {
            Outcome whole = Seeds.run(seed, choice, null);
            if (whole.failures().isEmpty()) {
                System.out.println("seed " + seed + " does not fail");
                return 0;
            }
            choice = Seeds.shrink(whole);
        }
        Outcome outcome = Seeds.run(seed, choice, System.out::println);
        System.out.printf(
                "seed %d: %d steps, %.3f virtual seconds, hash %016x, faults %s, %d operations%n",
                seed, outcome.steps(), outcome.nanos() / 1e9, outcome.hash(), outcome.faults(), outcome.operations());
        outcome.failures().forEach(each -> System.out.println("FAILED: " + each));
        return outcome.failures().isEmpty() ? 0 : 1;
    }

    /**
     * Runs all worlds.
     *
     * @return the exit status: zero where each seed was run and none has failed
     */
    int runAll() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Math.min(options.jobs(), options.seeds()); i++) {
            int processor = i;
            Thread thread = new Thread(() -> work(processor), "worlds-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return report();
    }

    /** Tells what happens in the first world that has failed, with few of its faults. */
    private void tellFirst() throws IOException, InterruptedException {
        Outcome first;
        synchronized (this) {
            if (failed.isEmpty() || failed.get(0).possibleFaults() == 0) {
                return;
            }
            first = failed.get(0);
        }
        FaultChoice choice = Seeds.shrink(first, FEW_TRIES);
        System.out.printf("%nseed %d fails by faults %s:%n", first.seed(), choice.numbers(first.possibleFaults()));
        Outcome unused = Seeds.run(first.seed(), choice, System.out::println);
    }

    private void work(int processor) {
        Processor.keep(processor);
        for (long seed = next.getAndIncrement();
                seed <= options.last() && System.nanoTime() < deadline;
                seed = next.getAndIncrement()) {
            add(outcome(seed));
        }
    }

    /** A world that cannot be run has failed: the other seeds still run. */
    private Outcome outcome(long seed) {
        try {
            return world.run(seed);
        } catch (Throwable e) {
            return Outcome.failed(seed, "the world could not be run: " + Scheduler.text(e));
        }
    }

    private synchronized void add(Outcome outcome) {
        seeds++;
        operations += outcome.operations();
        counts += outcome.counts();
        steps += outcome.steps();
        virtualSeconds += outcome.nanos() / 1e9;
        lost += outcome.lost();
        outcome.faults().forEach((kind, count) -> faults.merge(kind, count, Long::sum));
        outcome.consequences().forEach((kind, count) -> consequences.merge(kind, count, Long::sum));
        tell();
        if (!outcome.failures().isEmpty()) {
            failed.add(outcome);
            System.out.println(
                    "seed " + outcome.seed() + " FAILED: " + outcome.failures().get(0));
        }
    }

    /** Tells on the standard error now and then how far the run is. */
    @GuardedBy("this")
    private void tell() {
        long now = System.nanoTime();
        if (now - told >= TELL_NANOS) {
            told = now;
            System.err.printf("%d seeds in %d minutes, %d failed%n", seeds, (now - start) / MINUTE, failed.size());
        }
    }

    private synchronized int report() {
        double seconds = (System.nanoTime() - start) / 1e9;
        long all = faults.values().stream().mapToLong(Long::longValue).sum();
        System.out.printf("%d seeds in %.0f s (%.1f a second)%n", seeds, seconds, seeds / seconds);
        System.out.printf("%d faults (%.0f a minute): %s%n", all, all / seconds * 60, faults);
        System.out.printf("their consequences: %s%n", consequences);
        System.out.printf(
                "%d operations, %d counts under a lock, %d steps, %.0f virtual seconds%n",
                operations, counts, steps, virtualSeconds);
        if (StateCoverage.present().isOn()) {
            System.out.println();
            System.out.println(StateCoverage.present().report());
        }
        if (lost > 0) {
            System.out.printf("%d strands could not be ended%n", lost);
        }
        long left = options.seeds() - seeds;
        if (left > 0) {
            System.out.printf("%d seeds were not run%n", left);
        }
        System.out.printf("%d failed%s%n", failed.size(), failed.isEmpty() ? "" : ": simulation/run --shrink SEED");
        return failed.isEmpty() && (left == 0 || options.isTimed()) ? 0 : 1;
    }
}
