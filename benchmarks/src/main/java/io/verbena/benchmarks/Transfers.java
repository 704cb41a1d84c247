package io.verbena.benchmarks;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.engine.TransferEngine;
import io.verbena.runtime.SystemRuntime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Transfers of one large file as {@code nfs:get} and {@code nfs:put} make them, against the same octets read and
 * written from buffers, and with those of a local file that four threads read and write, in turn in one JVM; and the
 * first get of a JVM against later ones. The export is another process. Local files and the export are on tmpfs.
 *
 * <pre>
 * benchmarks/run -main io.verbena.benchmarks.Transfers [ROUNDS [MIB [MIB OF THE FIRST GET]]]
 * </pre>
 */
public final class Transfers {
    private static final int BLOCK = 1 << 20;
    private static final int IN_FLIGHT = 4;
    private static final int WARM_UP = 2;
    private static final int GETS = 8;

    private final MountedExport mounted;
    private final TransferEngine engine;
    private final Path local;

    private Transfers(MountedExport mounted, TransferEngine engine, Path local) {
        this.mounted = mounted;
        this.engine = engine;
        this.local = local;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 3 && arguments[0].equals("gets")) {
            gets(Integer.parseInt(arguments[1]), Path.of(arguments[2]));
            return;
        }
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        int mebibytes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1024;
        int first = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 256;
        Path local = Files.createTempDirectory(WholePath.fastDirectory(), "verbena-local");
        Path served = Files.createTempDirectory(WholePath.fastDirectory(), "verbena-benchmark");
        try (ExportProcess export = new ExportProcess(served)) {
            try (MountedExport mounted = new MountedExport(export.address(), InlineOption.behind("noac"));
                    TransferEngine engine = new TransferEngine(new SystemRuntime())) {
                Transfers transfers = new Transfers(mounted, engine, local);
                System.out.println("| what | median | against | ratio: median (least to most) | target |");
                System.out.println("|---|---|---|---|---|");
                transfers.compare(rounds, mebibytes);
            }
            fill(served.resolve("first"), first);
            firsts(rounds, first, export.address(), local);
        } finally {
            WholePath.deleteAll(local);
            WholePath.deleteAll(served);
        }
    }

    private void compare(int rounds, int mebibytes) throws Exception {
        fill(local.resolve("source"), mebibytes);
        double[][] rates = new double[6][rounds];
        double octets = (double) mebibytes * BLOCK;
        for (int round = -WARM_UP; round < rounds; round++) {
            double[] seconds = {
                seconds(() -> program(false, mebibytes)),
                seconds(() -> programWithFile(false, mebibytes)),
                seconds(() -> copy(engine, Location.of(local.resolve("source")), Location.of(mounted.mount(), "/put"))),
                seconds(() -> program(true, mebibytes)),
                seconds(() -> programWithFile(true, mebibytes)),
                seconds(() -> copy(engine, Location.of(mounted.mount(), "/put"), Location.of(local.resolve("got"))))
            };
            Files.delete(local.resolve("got"));
            Files.delete(local.resolve("program"));
            mounted.mount().remove("/put");
            mounted.mount().remove("/program");
            mounted.mount().remove("/program-file");
            if (round >= 0) {
                for (int each = 0; each < seconds.length; each++) {
                    rates[each][round] = octets / seconds[each];
                }
            }
        }
        print("WRITE 1 MiB x4", "", rates[0], rates[0]);
        print("the same from a local file, four threads", "WRITE 1 MiB x4", rates[1], rates[0]);
        print("put", "WRITE 1 MiB x4", rates[2], rates[0]);
        print("put", "four threads", rates[2], rates[1]);
        print("READ 1 MiB x4", "", rates[3], rates[3]);
        print("the same into a local file, four threads", "READ 1 MiB x4", rates[4], rates[3]);
        print("get", "READ 1 MiB x4", rates[5], rates[3]);
        print("get", "four threads", rates[5], rates[4]);
    }

    /** Writes or reads a whole file, as a program does that has the octets in buffers. */
    private void program(boolean reads, int mebibytes) throws IOException {
        ByteBuffer[] buffers = new ByteBuffer[IN_FLIGHT];
        Arrays.setAll(buffers, lane -> ByteBuffer.allocateDirect(BLOCK));
        Set<StandardOpenOption> options = reads
                ? Set.of(StandardOpenOption.READ)
                : Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (RemoteFile file = mounted.mount().open("/program", options, 0600)) {
            new Outstanding((lane, number) -> reads
                            ? file.readAsync(buffers[lane].clear(), number * BLOCK)
                            : file.writeAsync(buffers[lane].clear(), number * BLOCK))
                    .run(IN_FLIGHT, mebibytes);
            if (!reads) {
                file.sync();
            }
        }
    }

    /** The same with a local file in place of the buffers: four threads, each of which moves one block at a time. */
    private void programWithFile(boolean reads, int mebibytes) throws Exception {
        Set<StandardOpenOption> localOptions =
                reads ? Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE) : Set.of(StandardOpenOption.READ);
        Set<StandardOpenOption> options =
                reads ? Set.of(StandardOpenOption.READ) : Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        ExecutorService threads = Executors.newFixedThreadPool(IN_FLIGHT);
        AtomicInteger next = new AtomicInteger();
        try (RemoteFile file = mounted.mount().open("/program-file", options, 0600);
                FileChannel channel = FileChannel.open(local.resolve(reads ? "program" : "source"), localOptions)) {
            Callable<Integer> mover = () -> {
                ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);
                int block = next.getAndIncrement();
                for (; block < mebibytes; block = next.getAndIncrement()) {
                    long at = (long) block * BLOCK;
                    int read = reads ? file.read(buffer.clear(), at) : channel.read(buffer.clear(), at);
                    if (read != BLOCK) {
                        throw new IOException("a short read");
                    }
                    move(buffer.flip(), at, reads ? channel::write : file::write);
                }
                return block;
            };
            for (Future<Integer> each : threads.invokeAll(Collections.nCopies(IN_FLIGHT, mover))) {
                Integer unused = each.get();
            }
            if (!reads) {
                file.sync();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Where a block goes. */
    @FunctionalInterface
    private interface Sink {
        void write(ByteBuffer block, long at) throws IOException;
    }

    private static void move(ByteBuffer block, long at, Sink sink) throws IOException {
        sink.write(block, at);
        if (block.hasRemaining()) {
            throw new IOException("a short write");
        }
    }

    private static void firsts(int rounds, int mebibytes, InetSocketAddress address, Path local) throws Exception {
        double[] first = new double[rounds];
        double[] second = new double[rounds];
        double[] last = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            List<Double> seconds = childGets(address, local.resolve("got"));
            first[round] = mebibytes * (double) BLOCK / seconds.get(0);
            second[round] = mebibytes * (double) BLOCK / seconds.get(1);
            last[round] = mebibytes * (double) BLOCK / seconds.get(GETS - 1);
        }
        String name = String.format(Locale.ROOT, "get of %d MiB, ", mebibytes);
        print(name + "the eighth of a JVM", "", last, last);
        print(name + "the second", name + "the eighth", second, last);
        print(name + "the first", name + "the eighth", first, last);
    }

    /** The seconds of gets in a JVM of their own. */
    private static List<Double> childGets(InetSocketAddress address, Path target) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String options = System.getenv("JAVA_OPTS");
        if (options != null && !options.isBlank()) {
            command.addAll(List.of(options.trim().split(" +")));
        }
        command.addAll(List.of("-XX:MaxDirectMemorySize=2g", "-cp", System.getProperty("java.class.path")));
        command.addAll(
                List.of(Transfers.class.getName(), "gets", String.valueOf(address.getPort()), target.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<Double> seconds = new ArrayList<>();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                seconds.add(Double.parseDouble(line));
            }
        }
        if (process.onExit().join().exitValue() != 0 || seconds.size() != GETS) {
            throw new IOException("the process of the gets has failed");
        }
        return seconds;
    }

    private static void gets(int port, Path target) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try (MountedExport mounted = new MountedExport(address, InlineOption.behind("noac"));
                TransferEngine engine = new TransferEngine(new SystemRuntime())) {
            for (int get = 0; get < GETS; get++) {
                System.out.println(
                        seconds(() -> copy(engine, Location.of(mounted.mount(), "/first"), Location.of(target))));
                Files.delete(target);
            }
        }
    }

    private static void fill(Path file, int mebibytes) throws IOException {
        byte[] block = new byte[BLOCK];
        new Random(1).nextBytes(block); // no zeros, which a copy would leave out
        try (var out = Files.newOutputStream(file)) {
            for (int each = 0; each < mebibytes; each++) {
                out.write(block);
            }
        }
    }

    private static void copy(TransferEngine engine, Location from, Location to) throws Exception {
        engine.copy(from, to, CopyOptions.of()).run().orThrow();
    }

    /** A transfer. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private static double seconds(Work work) throws Exception {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e9;
    }

    private static void print(String name, String against, double[] rates, double[] baseline) {
        double[] ratios = new double[rates.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = rates[i] / baseline[i];
        }
        boolean isBaseline = rates == baseline;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.2f GB/s | %s | %s | %s |%n",
                name,
                Table.median(rates) / 1e9,
                against,
                isBaseline ? "" : Table.spread(ratios),
                against.endsWith("1 MiB x4") && name.matches("put|get") ? ">= 0.9" : "");
    }
}
