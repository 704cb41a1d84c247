package io.verbena.benchmarks;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.engine.TransferEngine;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * The time to put and get a tree of small files against that of {@code cp -r} on the same disk. The export is in this
 * process, over loopback. The copies alternate. They are removed at the end: a disk that is told of free blocks is slow
 * for seconds after a removal.
 *
 * <pre>
 * benchmarks/run -main io.verbena.benchmarks.SmallFiles [DIRECTORY [FILES [OCTETS [ROUNDS [sync|async]]]]]
 * </pre>
 */
public final class SmallFiles {
    private static final int FILES_OF_A_DIRECTORY = 1000;
    private static final int WARM_UP = 1;

    private final Path directory;
    private final Path source;
    private final int files;
    private final int octets;

    private SmallFiles(Path directory, int files, int octets) throws IOException {
        this.directory = directory;
        this.files = files;
        this.octets = octets;
        this.source = Files.createDirectory(directory.resolve("source"));
    }

    public static void main(String[] arguments) throws Exception {
        Path base = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("java.io.tmpdir"));
        int files = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10_000;
        int octets = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 2000;
        int rounds = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 5;
        boolean sync = arguments.length <= 4 || arguments[4].equals("sync");
        Path directory = Files.createTempDirectory(base, "verbena-small");
        try {
            new SmallFiles(directory, files, octets).measure(rounds, sync);
        } finally {
            WholePath.deleteAll(directory);
        }
    }

    private void measure(int rounds, boolean sync) throws Exception {
        fill(source, files, octets);
        double[] copy = new double[rounds];
        double[] put = new double[rounds];
        double[] get = new double[rounds];
        Path served = Files.createDirectory(directory.resolve("served"));
        try (Stack stack = new Stack(served, sync);
                TransferEngine engine = new TransferEngine(new SystemRuntime())) {
            for (int round = -WARM_UP; round < rounds; round++) {
                Path copies = Files.createDirectory(directory.resolve("round" + round));
                Location remote = Location.of(stack.mount(), "/round" + round);
                double copied = seconds(() -> copyByCommand(source, copies.resolve("copied")));
                double went = seconds(() -> copy(engine, Location.of(source), remote));
                double came = seconds(() -> copy(engine, remote, Location.of(copies.resolve("got"))));
                System.err.printf(Locale.ROOT, "cp -r %.2f s, put %.2f s, get %.2f s%n", copied, went, came);
                if (round >= 0) {
                    copy[round] = copied;
                    put[round] = went;
                    get[round] = came;
                }
            }
        }
        System.out.println("| what | median | against | ratio: median (least to most) | target |");
        System.out.println("|---|---|---|---|---|");
        System.out.printf(Locale.ROOT, "| cp -r | %.2f s |  |  |  |%n", Table.median(copy));
        print("put", put, copy);
        print("get", get, copy);
    }

    /** Makes a tree of so many files, each of so many octets. */
    static void fill(Path tree, int files, int octets) throws IOException {
        Random random = new Random(1);
        byte[] content = new byte[octets];
        for (int file = 0; file < files; file++) {
            Path parent = tree.resolve("directory-" + file / FILES_OF_A_DIRECTORY);
            Files.createDirectories(parent);
            random.nextBytes(content);
            Files.write(parent.resolve("file-" + file), content);
        }
    }

    private static void copyByCommand(Path from, Path to) throws IOException, InterruptedException {
        int status = new ProcessBuilder("cp", "-r", from.toString(), to.toString())
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("cp has ended with " + status);
        }
    }

    private static void copy(TransferEngine engine, Location from, Location to) throws Exception {
        engine.copy(List.of(from), to, CopyOptions.of(CopyOptions.Flag.RECURSIVE))
                .run()
                .orThrow();
    }

    /** A copy. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private static double seconds(Work work) throws Exception {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e9;
    }

    private static void print(String name, double[] values, double[] baseline) {
        double[] ratios = new double[values.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = values[i] / baseline[i];
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | %.2f s | cp -r | %.2f (%.2f to %.2f) | <= 3 |%n",
                name,
                Table.median(values),
                Table.median(ratios),
                Arrays.stream(ratios).min().orElse(0),
                Arrays.stream(ratios).max().orElse(0));
    }
}
