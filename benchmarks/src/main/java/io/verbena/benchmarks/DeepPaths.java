package io.verbena.benchmarks;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The cost of deep paths: a chain of nested directories is made, each by its whole path, and removed from the deepest
 * on. A mount with {@code noac} walks from the root of the export each time; it alternates with one that begins at the
 * directories it knows.
 *
 * <pre>
 * benchmarks/run -main io.verbena.benchmarks.DeepPaths [DIRECTORY [DEPTH [ROUNDS]]]
 * </pre>
 */
public final class DeepPaths {
    private DeepPaths() {}

    public static void main(String[] arguments) throws Exception {
        Path base = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("java.io.tmpdir"));
        int depth = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1000;
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        Path directory = Files.createTempDirectory(base, "verbena-deep");
        double[][] seconds = new double[2][rounds];
        long[] operations = new long[2];
        try (ServedDirectory served = new ServedDirectory(directory, true);
                MountedExport walking = new MountedExport(served.address(), "noac");
                MountedExport knowing = new MountedExport(served.address(), "")) {
            for (int round = -1; round < rounds; round++) {
                for (int which = 0; which < 2; which++) {
                    long before = served.counters().get("operations");
                    long start = System.nanoTime();
                    chain((which == 0 ? walking : knowing).mount(), depth);
                    double taken = (System.nanoTime() - start) / 1e9;
                    operations[which] = served.counters().get("operations") - before;
                    if (round >= 0) {
                        seconds[which][round] = taken;
                    }
                }
            }
        } finally {
            Files.delete(directory);
        }
        double[] ratios = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            ratios[round] = seconds[1][round] / seconds[0][round];
        }
        System.out.println("| mount | operations of the export | median | ratio: median (least to most) |");
        System.out.println("|---|---|---|---|");
        System.out.printf(Locale.ROOT, "| noac | %,d | %.2f s | |%n", operations[0], Table.median(seconds[0]));
        System.out.printf(
                Locale.ROOT,
                "| ac | %,d | %.2f s | %s |%n",
                operations[1],
                Table.median(seconds[1]),
                Table.spread(ratios));
    }

    private static void chain(Mount mount, int depth) throws IOException {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            mount.createDirectory(path.append("/d").toString(), 0755);
        }
        for (int i = depth; i > 0; i--) {
            mount.remove(path.substring(0, 2 * i));
        }
    }
}
