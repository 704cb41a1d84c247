package io.verbena.benchmarks;

import io.verbena.fuse.FuseMount;
import io.verbena.fuse.FuseSettings;
import io.verbena.fuse.internal.FuseMountsComponent;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.internal.engine.TransferEngine;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.natives.internal.provider.NativeProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * What programs get of a mount by FUSE, against what the Java API gets of the same mount of the same JVM, and against
 * Linux's own client, in turn. {@code fio} and {@code tar} are the programs. Needs root and {@code /dev/fuse}.
 *
 * <pre>
 * benchmarks/run -main io.verbena.benchmarks.FuseTransfers [ROUNDS [MIB [FILES [SECONDS [HOST PORT PROVIDER KERNEL]]]]]
 * </pre>
 *
 * <p>MIB is the size of the large files, FILES the number of the small ones, SECONDS the time of random accesses, and
 * KERNEL a mount of the server by Linux's client. Without a server, there is an export in another process, on tmpfs.
 * Started with all of them by {@code benchmarks/fuse --guest}.
 */
public final class FuseTransfers {
    private static final int MIB = 1 << 20;
    private static final int SMALL = 4 << 10;
    private static final int IN_FLIGHT = 4;
    private static final int MANY = 16;
    private static final int SMALL_FILE = 2000;
    private static final int WARM_UP = 3;
    private static final Duration END = Duration.ofSeconds(30);

    private final int mebibytes;
    private final int files;
    private final int seconds;
    /** The tree of small files, as a folder and as an archive beside it. */
    private final Path tree;

    private int copies;

    /** What is measured. */
    private enum Load {
        READ("read of a file", true),
        WRITE("write of a file and fsync", false),
        RANDOM_READ("random read of 4 KiB, O_DIRECT", true),
        RANDOM_READ_MANY("the same by 16 threads", true),
        RANDOM_WRITE("random write of 4 KiB, O_DIRECT", false),
        RANDOM_WRITE_MANY("the same by 16 threads", false),
        UNPACK("files of 2 kB made", false);

        private final String shown;
        private final boolean reads;

        Load(String shown, boolean reads) {
            this.shown = shown;
            this.reads = reads;
        }

        boolean isWhole() {
            return this == READ || this == WRITE;
        }

        int threads() {
            return this == RANDOM_READ_MANY || this == RANDOM_WRITE_MANY ? MANY : 1;
        }
    }

    /** Who does it. */
    private interface Subject {
        String name();

        /** MiB, accesses or files a second. */
        double measure(Load load) throws Exception;
    }

    private FuseTransfers(int mebibytes, int files, int seconds, Path tree) throws Exception {
        this.mebibytes = mebibytes;
        this.files = files;
        this.seconds = seconds;
        this.tree = tree;
        SmallFiles.fill(tree, files, SMALL_FILE);
        program("tar", "-cf", archive().toString(), "-C", tree.toString(), ".");
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = number(arguments, 0, 5);
        Path folder = Files.createTempDirectory(WholePath.fastDirectory(), "verbena-fuse");
        try {
            FuseTransfers transfers = new FuseTransfers(
                    number(arguments, 1, 512),
                    number(arguments, 2, 10_000),
                    number(arguments, 3, 2),
                    Files.createDirectory(folder.resolve("tree")));
            if (arguments.length > 4) {
                InetSocketAddress server = new InetSocketAddress(arguments[4], Integer.parseInt(arguments[5]));
                transfers.compare(rounds, folder, server, arguments[6], Path.of(arguments[7]));
            } else {
                Path served = Files.createDirectory(folder.resolve("served"));
                try (ExportProcess export = new ExportProcess(served)) {
                    transfers.compare(rounds, folder, export.address(), "iwarp", null);
                }
            }
        } finally {
            WholePath.deleteAll(folder);
        }
        System.exit(0); // ends the threads of a native provider
    }

    private static int number(String[] arguments, int at, int usual) {
        return arguments.length > at ? Integer.parseInt(arguments[at]) : usual;
    }

    private Path archive() {
        return tree.resolveSibling("tree.tar");
    }

    private static void program(String... command) throws IOException, InterruptedException {
        int status = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", command) + " has ended with " + status);
        }
    }

    /** @param kernel a mount by Linux's client, or null */
    private void compare(int rounds, Path folder, InetSocketAddress server, String provider, Path kernel)
            throws Exception {
        DirectMemory memory = new DirectMemory();
        RdmaProvider given = provider.equals("native") ? new NativeProvider() : PollOption.provider(memory);
        FuseMountsComponent mounts = new FuseMountsComponent(new SystemRuntime());
        try (MountedExport mounted = new MountedExport(memory, given, server, "links=off");
                MountedExport direct = new MountedExport(server, "noac");
                TransferEngine engine = new TransferEngine(new SystemRuntime())) {
            mounts.addMount(mounted.mount());
            FuseMount fuse = mounts.mount(
                    mounted.mount().name(), Files.createDirectory(folder.resolve("mnt")), FuseSettings.defaults(true));
            try {
                List<Subject> subjects = new ArrayList<>();
                subjects.add(new Api(mounted.mount(), direct.mount(), engine));
                subjects.add(new Programs("fuse", fuse.directory()));
                if (kernel != null) {
                    subjects.add(new Programs("kernel", kernel));
                }
                print(measure(rounds, subjects));
            } finally {
                fuse.unmount(false, END);
                mounts.deactivate();
            }
        }
    }

    private Map<Load, double[][]> measure(int rounds, List<Subject> subjects) throws Exception {
        Map<Load, double[][]> rates = new EnumMap<>(Load.class);
        for (Load load : Load.values()) {
            rates.put(load, new double[subjects.size()][rounds]);
        }
        for (int round = -WARM_UP; round < rounds; round++) {
            for (Load load : Load.values()) {
                for (int each = 0; each < subjects.size(); each++) {
                    double rate = subjects.get(each).measure(load);
                    System.err.printf(
                            Locale.ROOT,
                            "%d %s, %s: %.1f%n",
                            round,
                            load.shown,
                            subjects.get(each).name(),
                            rate);
                    if (round >= 0) {
                        rates.get(load)[each][round] = rate;
                    }
                }
            }
        }
        return rates;
    }

    private void print(Map<Load, double[][]> all) {
        boolean hasKernel = all.get(Load.READ).length > 2;
        System.out.println("| what | Java API | FUSE | to the Java API: median (least to most) |"
                + (hasKernel ? " Linux's client | FUSE to Linux's client |" : ""));
        System.out.println("|---|---|---|---|" + (hasKernel ? "---|---|" : ""));
        all.forEach((load, rates) -> {
            String unit = load.isWhole() ? "MiB/s" : "/s";
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.0f %s | %.0f %s | %s |",
                    load.shown,
                    Table.median(rates[0]),
                    unit,
                    Table.median(rates[1]),
                    unit,
                    ratios(rates[1], rates[0]));
            if (hasKernel) {
                System.out.printf(
                        Locale.ROOT, " %.0f %s | %s |", Table.median(rates[2]), unit, ratios(rates[1], rates[2]));
            }
            System.out.println();
        });
    }

    private static String ratios(double[] rates, double[] baseline) {
        double[] ratios = new double[rates.length];
        Arrays.setAll(ratios, round -> rates[round] / baseline[round]);
        return Table.spread(ratios);
    }

    /** The programs of others, on a directory. */
    private final class Programs implements Subject {
        private final String name;
        private final Path directory;

        Programs(String name, Path directory) {
            this.name = name;
            this.directory = directory;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public double measure(Load load) throws Exception {
            if (load == Load.UNPACK) {
                Path target = Files.createDirectory(directory.resolve("unpacked-" + copies++));
                long start = System.nanoTime();
                program("tar", "-xf", archive().toString(), "-C", target.toString());
                double time = (System.nanoTime() - start) / 1e9;
                program("rm", "-r", target.toString());
                return files / time;
            }
            List<String> options = new ArrayList<>(List.of(
                    "--filename=" + directory.resolve(load.reads ? "read" : "write-" + name),
                    "--ioengine=psync",
                    "--fallocate=none",
                    "--size=" + mebibytes + "m"));
            if (load.isWhole()) {
                options.addAll(List.of("--bs=1m", "--rw=" + (load.reads ? "read" : "write"), "--end_fsync=1"));
                return Fio.run(load.reads, options) / MIB;
            }
            options.addAll(List.of(
                    "--bs=4k",
                    "--rw=" + (load.reads ? "randread" : "randwrite"),
                    "--direct=1",
                    "--time_based",
                    "--runtime=" + seconds,
                    "--thread",
                    "--numjobs=" + load.threads(),
                    "--group_reporting"));
            return Fio.run(load.reads, options) / SMALL;
        }
    }

    /** A program in Java, which keeps as much in flight as it has threads, and four requests for a whole file. */
    private final class Api implements Subject {
        private final Mount mount;
        /** Past every cache. */
        private final Mount direct;

        private final TransferEngine engine;
        private final ByteBuffer[] buffers = new ByteBuffer[MANY];
        private final Random random = new Random(1);

        Api(Mount mount, Mount direct, TransferEngine engine) throws IOException {
            this.mount = mount;
            this.direct = direct;
            this.engine = engine;
            Arrays.setAll(buffers, each -> ByteBuffer.allocateDirect(MIB));
            try (RemoteFile file = open(Load.READ)) {
                write(file);
            }
        }

        @Override
        public String name() {
            return "api";
        }

        private RemoteFile open(Load load) throws IOException {
            return (load.isWhole() ? mount : direct)
                    .open(
                            load.reads ? "/read" : "/write-api",
                            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                            0644);
        }

        private void write(RemoteFile file) throws IOException {
            new Outstanding((lane, number) -> file.writeAsync(buffers[lane].clear(), number * MIB))
                    .run(IN_FLIGHT, mebibytes);
            file.sync();
        }

        @Override
        public double measure(Load load) throws Exception {
            if (load == Load.UNPACK) {
                String target = "/unpacked-" + copies++;
                long start = System.nanoTime();
                engine.copy(
                                List.of(Location.of(tree)),
                                Location.of(mount, target),
                                CopyOptions.of(CopyOptions.Flag.RECURSIVE))
                        .run()
                        .orThrow();
                return files * 1e9 / (System.nanoTime() - start);
            }
            try (RemoteFile file = open(load)) {
                if (!load.isWhole()) {
                    return new Outstanding((lane, number) -> {
                                ByteBuffer buffer = buffers[lane].clear().limit(SMALL);
                                long position = (long) random.nextInt(mebibytes * (MIB / SMALL)) * SMALL;
                                return load.reads
                                        ? file.readAsync(buffer, position)
                                        : file.writeAsync(buffer, position);
                            })
                            .run(load.threads(), Duration.ofSeconds(seconds));
                }
                long start = System.nanoTime();
                if (load.reads) {
                    new Outstanding((lane, number) -> file.readAsync(buffers[lane].clear(), number * MIB))
                            .run(IN_FLIGHT, mebibytes);
                } else {
                    write(file);
                }
                return mebibytes * 1e9 / (System.nanoTime() - start);
            }
        }
    }
}
