package io.verbena.benchmarks;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.natives.internal.provider.NativeProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Providers {@code native} and {@code iwarp} against the kernel's own client, in turn: the same files of one server,
 * read and written past every cache. {@code fio} drives the kernel's client with O_DIRECT. Started in the guest by
 * {@code benchmarks/guest}.
 *
 * <p>Arguments: the server's address and port, the mount point of the kernel's client, turns, milliseconds of a
 * measurement, seconds of warm-up, a regular expression of names of cases, names of providers.
 *
 * <p>The warm-up is long, since a JVM under software emulation still compiles after a minute.
 */
public final class GuestTransfers {
    private static final String FILE_SIZE = "64m";
    private static final int MIB = 1 << 20;
    private static final int SMALL = 4 << 10;

    /** @param reads whether it reads or writes */
    private record Load(boolean reads, int size, int outstanding, boolean waiting) {
        String name() {
            return String.format(
                    Locale.ROOT,
                    "%s %s x%d%s",
                    reads ? "READ" : "WRITE",
                    size >= MIB ? "1 MiB" : "4 KiB",
                    outstanding,
                    waiting ? ", waiting" : "");
        }
    }

    private static final List<Load> LOADS = List.of(
            new Load(true, MIB, 4, false),
            new Load(false, MIB, 4, false),
            new Load(true, SMALL, 1, true),
            new Load(true, SMALL, 1, false),
            new Load(true, SMALL, 16, false),
            new Load(false, SMALL, 1, true),
            new Load(false, SMALL, 16, false));

    private final Path kernel;
    private final Duration time;

    /** One client of a load. */
    private interface Subject {
        /** Octets a second. */
        double run() throws Exception;
    }

    private record Row(Load load, String who, Subject subject, List<Double> values) {
        /** Octets a second of one measurement. */
        double measure(int turn) throws Exception {
            double value = subject.run();
            System.err.printf(Locale.ROOT, "%d %s %s %.0f%n", turn, load.name(), who, value / load.size);
            return value;
        }
    }

    private GuestTransfers(Path kernel, Duration time) {
        this.kernel = kernel;
        this.time = time;
    }

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        Duration time = Duration.ofMillis(Long.parseLong(arguments[4]));
        Duration warmUp = Duration.ofSeconds(Long.parseLong(arguments[5]));
        Pattern only = Pattern.compile(arguments[6]);
        GuestTransfers transfers = new GuestTransfers(Path.of(arguments[2]), time);
        List<Row> rows = new ArrayList<>();
        List<Load> loads =
                LOADS.stream().filter(load -> only.matcher(load.name()).find()).toList();
        for (String name : List.of(arguments).subList(7, arguments.length)) {
            DirectMemory memory = new DirectMemory();
            RdmaProvider provider = name.equals("native") ? new NativeProvider() : PollOption.provider(memory);
            MountedExport mounted = new MountedExport(memory, provider, server, InlineOption.behind("noac"));
            for (Load load : loads) {
                rows.add(new Row(load, name, transfers.own(mounted.mount(), load), new ArrayList<>()));
            }
        }
        for (Load load : loads) {
            rows.add(new Row(load, "kernel", transfers.kernel(load), new ArrayList<>()));
        }
        int turns = Integer.parseInt(arguments[3]);
        long begun = System.nanoTime();
        for (int turn = -1; System.nanoTime() - begun < warmUp.toNanos(); turn--) {
            for (Row row : rows) {
                if (!row.who.equals("kernel")) {
                    row.measure(turn);
                }
            }
        }
        for (int turn = 0; turn < turns; turn++) {
            for (Load load : loads) {
                for (Row row : rows) {
                    if (row.load.equals(load)) {
                        row.values.add(row.measure(turn));
                    }
                }
            }
        }
        print(rows);
        System.exit(0); // ends the threads of providers and mounts
    }

    private Subject own(Mount mount, Load load) throws IOException {
        NfsTransfer transfer = new NfsTransfer(mount, load.reads, load.size, load.outstanding);
        if (!load.waiting) {
            return () -> transfer.run(time);
        }
        RemoteFile file = mount.open(
                NfsTransfer.path(load.reads, load.size, load.outstanding),
                Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE),
                0600);
        ByteBuffer buffer = ByteBuffer.allocateDirect(load.size);
        return new Subject() {
            private long number;

            @Override
            public double run() throws IOException {
                long start = System.nanoTime();
                long count = 0;
                for (; System.nanoTime() - start < time.toNanos(); count++) {
                    buffer.clear();
                    long position = number++ * load.size % NfsTransfer.FILE_SIZE;
                    if (load.reads) {
                        file.read(buffer, position);
                    } else {
                        file.writeAsync(buffer, position).join();
                    }
                }
                return count * load.size * 1e9 / (System.nanoTime() - start);
            }
        };
    }

    private Subject kernel(Load load) {
        String path = NfsTransfer.path(load.reads, load.size, load.outstanding).substring(1);
        List<String> options = List.of(
                "--filename=" + kernel.resolve(path),
                "--direct=1",
                "--ioengine=" + (load.outstanding == 1 ? "psync" : "libaio"),
                "--iodepth=" + load.outstanding,
                "--rw=" + (load.reads ? "read" : "write"),
                "--bs=" + load.size,
                "--size=" + FILE_SIZE,
                "--time_based",
                "--runtime=" + Math.max(1, time.toSeconds()));
        return () -> Fio.run(load.reads, options);
    }

    private static void print(List<Row> rows) {
        System.out.println("| what | provider | operations/s | kernel | ratio: median (least to most) |");
        System.out.println("|---|---|---|---|---|");
        for (Load load : LOADS) {
            for (Row row : rows) {
                if (!row.load.equals(load) || row.who.equals("kernel")) {
                    continue;
                }
                double[] kernel = rows.stream()
                        .filter(other -> other.load.equals(load) && other.who.equals("kernel"))
                        .flatMap(other -> other.values.stream())
                        .mapToDouble(Double::doubleValue)
                        .toArray();
                double[] own =
                        row.values.stream().mapToDouble(Double::doubleValue).toArray();
                double[] ratios = new double[own.length];
                for (int turn = 0; turn < own.length; turn++) {
                    ratios[turn] = own[turn] / kernel[turn];
                }
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %.0f | %.0f | %s |%n",
                        load.name(),
                        row.who,
                        Table.median(own) / load.size,
                        Table.median(kernel) / load.size,
                        Table.spread(ratios));
            }
        }
    }
}
