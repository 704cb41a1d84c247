package io.verbena.benchmarks;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.cm.internal.PrivateDataNegotiator;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.rpcrdma.v1.internal.VersionOneFraming;
import io.verbena.runtime.SystemRuntime;
import io.verbena.verbs.iwarp.internal.provider.IwarpProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The cost of idle objects: heap, direct memory and threads on each end for a mount, a connection, an open file and a
 * slot, after a time at rest. Client and export run in processes of their own.
 *
 * <pre>
 * [JAVA_OPTS='-Dverbena.benchmark.mounts=1000 -Dverbena.benchmark.files=100000'] \
 *     benchmarks/run -main io.verbena.benchmarks.IdleFootprint
 * </pre>
 */
public final class IdleFootprint {
    private static final int MOUNTS = Integer.getInteger("verbena.benchmark.mounts", 16);
    private static final int CONNECTIONS = 64;
    private static final int FILES = Integer.getInteger("verbena.benchmark.files", 1000);
    private static final int SLOTS = 64;

    private IdleFootprint() {}

    /** After this time at rest, threads without work have ended and long buffers are given back. */
    private static final long AT_REST_MILLIS = 22_000;

    private static final SystemRuntime RUNTIME = new SystemRuntime();

    /** The resources of a process. */
    private record Held(long heap, long direct, long threads) {
        static Held of(DirectMemory memory) {
            long heap = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                System.gc();
                heap = Math.min(
                        heap,
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
            return new Held(
                    heap,
                    memory.leasedBytes(),
                    ManagementFactory.getThreadMXBean().getThreadCount());
        }

        static Held parse(String line) {
            String[] words = line.split(" ", -1);
            return new Held(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
        }

        String line() {
            return heap + " " + direct + " " + threads;
        }

        String since(Held before, int count) {
            return String.format(
                    Locale.ROOT,
                    "%,d | %,d | %.1f",
                    (heap - before.heap) / count,
                    (direct - before.direct) / count,
                    (threads - before.threads) / (double) count);
        }
    }

    /** Transport and provider, without OSGi. */
    private static final class Transport implements AutoCloseable {
        private final DirectMemory memory = new DirectMemory();
        private final IwarpProvider provider = new IwarpProvider(RUNTIME, memory);
        private final RdmaRpcTransport rpc = new RdmaRpcTransport(
                RUNTIME, memory, provider, List.of(new VersionOneFraming()), new PrivateDataNegotiator());

        @Override
        public void close() {
            rpc.close();
            provider.deactivate();
        }
    }

    /** The export's process. */
    private static final class Export implements AutoCloseable {
        private final Process process;
        private final BufferedReader lines;
        private final int port;

        Export(Path directory) throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:MaxDirectMemorySize=" + (2 + MOUNTS / 256) + "g",
                            "-Dverbena.benchmark.mounts=" + MOUNTS,
                            "-cp",
                            System.getProperty("java.class.path"),
                            IdleFootprint.class.getName(),
                            directory.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            lines = process.inputReader(StandardCharsets.UTF_8);
            port = Integer.parseInt(lines.readLine());
        }

        Held held() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            return Held.parse(lines.readLine());
        }

        @Override
        public void close() throws IOException {
            process.getOutputStream().close();
        }
    }

    private static void serve(Path directory) throws IOException {
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        ExportSettings settings = ExportSettings.of("holding", Files.createDirectory(directory.resolve("export")))
                .withSquash(nobody);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Transport transport = new Transport();
                NfsServer server = new NfsServer(settings, directory.resolve("state"), RUNTIME);
                RpcListener listener = transport.rpc.listen(
                        new ListenOptions(any, SLOTS, 2 * MOUNTS + 2 * CONNECTIONS, 2 << 20, Map.of()), server)) {
            System.out.println(listener.localAddress().getPort());
            BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (asked.readLine() != null) {
                System.out.println(Held.of(transport.memory).line());
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            serve(Path.of(arguments[0]));
            return;
        }
        Path directory = Files.createTempDirectory("verbena-holding");
        try (Export export = new Export(directory);
                Transport transport = new Transport()) {
            new IdleFootprint.Run(export, transport).all();
        } finally {
            try (var files = Files.walk(directory)) {
                for (Path path : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private record Run(Export export, Transport transport) {
        private interface Step {
            AutoCloseable make(int number) throws Exception;
        }

        void all() throws Exception {
            System.out.println("| what | client: heap | direct | threads | export: heap | direct | threads |");
            System.out.println("|---|---|---|---|---|---|---|");
            warmUp();
            row("a connection", CONNECTIONS, i -> connect());
            row("a mount at rest, a slot", MOUNTS, i -> mount(i, "slots=1"));
            row("a mount at rest, 64 slots", MOUNTS, i -> mount(i, "slots=" + SLOTS));
            row("a mount after a read and a write by each slot", MOUNTS, i -> {
                NfsMount mount = mount(i, "slots=" + SLOTS);
                work(mount, i);
                return mount;
            });
            try (NfsMount mount = mount(0, "")) {
                work(mount, 0);
                row("an open file", FILES, i -> mount.open("/f" + i, flags(), 0600));
                row("an open file, 100 kB of it written", 100, i -> {
                    RemoteFile file = mount.open("/f" + i, flags(), 0600);
                    file.write(ByteBuffer.allocate(100_000), 0);
                    return file;
                });
            }
        }

        private static Set<StandardOpenOption> flags() {
            return Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ);
        }

        private AutoCloseable connect() throws IOException {
            return transport.rpc.connect(
                    ConnectOptions.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), export.port)));
        }

        private NfsMount mount(int number, String options) throws IOException {
            NfsMount mount = NfsMount.create(
                    "m" + number,
                    "127.0.0.1",
                    "/",
                    "port=" + export.port + (options.isEmpty() ? "" : "," + options),
                    transport.rpc,
                    transport.memory,
                    RUNTIME);
            mount.connect(Duration.ofSeconds(20));
            return mount;
        }

        private static void work(NfsMount mount, int number) throws IOException {
            try (RemoteFile file = mount.open("/work" + number, flags(), 0600)) {
                file.write(ByteBuffer.allocate(SLOTS << 18), 0);
                file.sync();
                file.read(ByteBuffer.allocate(SLOTS << 18), 0);
            }
        }

        /** Loads classes and fills pools before the measurement. */
        private void warmUp() throws Exception {
            connect().close();
            try (NfsMount mount = mount(99, "")) {
                work(mount, 99);
            }
        }

        private void row(String what, int count, Step step) throws Exception {
            Held here = Held.of(transport.memory);
            Held there = export.held();
            List<AutoCloseable> made = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                made.add(step.make(i));
            }
            RUNTIME.sleep(AT_REST_MILLIS * 1_000_000);
            System.out.printf(
                    "| %s | %s | %s |%n",
                    what,
                    Held.of(transport.memory).since(here, count),
                    export.held().since(there, count));
            for (AutoCloseable one : made) {
                one.close();
            }
        }
    }
}
