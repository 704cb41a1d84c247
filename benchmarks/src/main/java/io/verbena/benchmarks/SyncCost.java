package io.verbena.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The cost of {@code sync}: files created per second on an export that brings each file to stable storage before it
 * answers, and on an export that leaves this to the operating system. The two alternate.
 *
 * <pre>
 * benchmarks/run -main io.verbena.benchmarks.SyncCost [DIRECTORY [ROUNDS [MILLISECONDS]]]
 * </pre>
 */
public final class SyncCost {
    private static final int WARM_UP = 2;

    private SyncCost() {}

    public static void main(String[] arguments) throws Exception {
        Path base = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("java.io.tmpdir"));
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 7;
        Duration time = Duration.ofMillis(arguments.length > 2 ? Long.parseLong(arguments[2]) : 1000);
        Path directory = Files.createTempDirectory(base, "verbena-sync");
        Path async = Files.createDirectory(directory.resolve("async"));
        Path sync = Files.createDirectory(directory.resolve("sync"));
        try (Stack asyncStack = new Stack(async, false);
                Stack syncStack = new Stack(sync, true)) {
            Table table = new Table();
            for (int outstanding : List.of(1, 4, 16)) {
                try (Creates baseline = new Creates("create, async", asyncStack.mount(), outstanding);
                        Creates subject = new Creates("create, sync", syncStack.mount(), outstanding)) {
                    measure(table, subject, baseline, rounds, time);
                }
            }
            table.print();
        } finally {
            for (Path each : List.of(async, sync, directory)) {
                Files.delete(each);
            }
        }
    }

    private static void measure(Table table, Case subject, Case baseline, int rounds, Duration time) throws Exception {
        double[] values = new double[rounds];
        double[] baselineValues = new double[rounds];
        for (int round = -WARM_UP; round < rounds; round++) {
            double unsafe = baseline.run(time);
            double safe = subject.run(time);
            if (round >= 0) {
                baselineValues[round] = unsafe;
                values[round] = safe;
            }
        }
        table.add(baseline, baseline, baselineValues, baselineValues, "");
        table.add(subject, baseline, values, baselineValues, "");
    }
}
