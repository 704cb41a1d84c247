package io.verbena.simulation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.simulation.coverage.StateCoverage;
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
    private static final String USAGE =
            "usage: simulation/run --seeds A..B [--minutes N] [--jobs N] | --story SEED | --shrink SEED";

    private static final long MINUTE = 60_000_000_000L;
    private static final long TELL_NANOS = 5 * MINUTE;

    private final long last;
    private final long deadline;
    private final AtomicLong next;
    private final List<Outcome> failed = new ArrayList<>();
    private final Map<String, Long> faults = new TreeMap<>();
    private final long start = System.nanoTime();
    private long told = start;
    private long seeds;
    private long operations;
    private long steps;
    private double virtualSeconds;

    private Main(long first, long last, long minutes) {
        this.next = new AtomicLong(first);
        this.last = last;
        this.deadline = start + minutes * MINUTE;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> options = new TreeMap<>();
        for (int at = 0; at < arguments.length; at += 2) {
            if (at + 1 == arguments.length || !arguments[at].matches("--(seeds|minutes|jobs|story|shrink)")) {
                fail("unknown: " + arguments[at]);
            }
            options.put(arguments[at], arguments[at + 1]);
        }
        if (options.containsKey("--story")) {
            System.exit(tell(number(options.get("--story")), false));
        } else if (options.containsKey("--shrink")) {
            System.exit(tell(number(options.get("--shrink")), true));
        } else if (options.containsKey("--seeds")) {
            System.exit(runAll(options));
        }
        fail("what to run?");
    }

    private static void fail(String what) {
        System.err.println(what);
        System.err.println(USAGE);
        System.exit(2);
    }

    private static long number(String text) {
        if (!text.matches("[0-9]{1,18}")) {
            fail("no number: " + text);
        }
        return Long.parseLong(text);
    }

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

    private static int runAll(Map<String, String> options) throws InterruptedException {
        String[] range = options.get("--seeds").split("\\.\\.", -1);
        if (range.length > 2) {
            fail("seeds are A..B");
        }
        long first = number(range[0]);
        long last = number(range[range.length - 1]);
        long minutes = number(options.getOrDefault("--minutes", "100000"));
        long jobs = number(options.getOrDefault(
                "--jobs", String.valueOf(java.lang.Runtime.getRuntime().availableProcessors())));
        Main main = new Main(first, last, minutes);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            int processor = i;
            Thread thread = new Thread(() -> main.work(processor), "worlds-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return main.report();
    }

    private void work(int processor) {
        Processor.keep(processor);
        try {
            for (long seed = next.getAndIncrement();
                    seed <= last && System.nanoTime() < deadline;
                    seed = next.getAndIncrement()) {
                add(Seeds.run(seed, FaultChoice.ALL, null));
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void add(Outcome outcome) {
        seeds++;
        operations += outcome.operations();
        steps += outcome.steps();
        virtualSeconds += outcome.nanos() / 1e9;
        outcome.faults().forEach((kind, count) -> faults.merge(kind, count, Long::sum));
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
        System.out.printf("%d operations, %d steps, %.0f virtual seconds%n", operations, steps, virtualSeconds);
        if (StateCoverage.present().isOn()) {
            System.out.println();
            System.out.println(StateCoverage.present().report());
        }
        System.out.printf("%d failed%s%n", failed.size(), failed.isEmpty() ? "" : ": simulation/run --shrink SEED");
        return failed.isEmpty() ? 0 : 1;
    }
}
