package io.verbena.simulation;

import io.verbena.simulation.workload.MixedWork;
import io.verbena.simulation.world.Outcome;
import io.verbena.simulation.world.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Runs worlds. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        long first = Long.parseLong(arguments[0]);
        long last = arguments.length > 1 ? Long.parseLong(arguments[1]) : first;
        boolean told = arguments.length > 2;
        long start = System.nanoTime();
        long steps = 0;
        long virtual = 0;
        long operations = 0;
        int failed = 0;
        Map<String, Long> faults = new TreeMap<>();
        for (long seed = first; seed <= last; seed++) {
            Outcome outcome = run(seed, told);
            steps += outcome.steps();
            virtual += outcome.nanos();
            operations += outcome.operations();
            outcome.faults().forEach((kind, count) -> faults.merge(kind, count, Long::sum));
            if (first == last) {
                System.out.println(outcome);
            }
            if (!outcome.failures().isEmpty()) {
                failed++;
                System.out.println("seed " + seed + " FAILED");
                outcome.failures().stream().limit(3).forEach(each -> System.out.println("    " + each));
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                "%d seeds in %.1f s, %d failed, %d operations, %d steps, %.0f virtual seconds, faults %s%n",
                last - first + 1, seconds, failed, operations, steps, virtual / 1e9, faults);
    }

    static Outcome run(long seed, boolean told) throws IOException, InterruptedException {
        Path parent = Path.of("/dev/shm");
        Path folder = Files.createTempDirectory(Files.isWritable(parent) ? parent : Path.of("/tmp"), "verbena-world");
        try {
            return new World(seed, folder, told ? System.out::println : null).run(new MixedWork());
        } finally {
            World.remove(folder);
        }
    }
}
