package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpcrdma.dispatcher.internal.RdmaRpcTransport;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of connections and mounts leave no resources behind in the process. */
class LeakTest {
    private static final int CONNECTIONS = 10_000;
    private static final int MOUNTS = 1_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    @TempDir
    private Path state;

    private Set<String> threadsBefore;
    private VerbenaStack stack;
    private RdmaRpcTransport transport;
    private NfsServer server;
    private RpcListener listener;

    @BeforeEach
    void serve() throws IOException {
        threadsBefore = threads();
        stack = new VerbenaStack();
        transport = stack.transport();
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        server = new NfsServer(ExportSettings.of("leak", directory).withSquash(nobody), state, new SystemRuntime());
        listener = stack.serve(server, 0);
    }

    @AfterEach
    void end() throws IOException {
        listener.close();
        server.close();
        stack.close();
        await(() -> threadsBefore.containsAll(threads()));
        assertThat(threads()).as("threads that outlive all").isSubsetOf(threadsBefore);
    }

    @Test
    void shouldLeaveNothingBehindAfterManyConnections() throws Exception {
        cycleConnections(100); // objects that are created once and kept are created here
        Holdings before = Holdings.now();
        cycleConnections(CONNECTIONS);
        assertSettlesAt(before);
    }

    @Test
    void shouldLeaveNothingBehindAfterManyMounts() throws Exception {
        cycleMounts(20);
        Holdings before = Holdings.now();
        cycleMounts(MOUNTS);
        assertSettlesAt(before);
        assertThat(server.counters()).containsEntry("sessions", 0L).containsEntry("clients", 0L);
    }

    private void cycleConnections(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            RpcConnection connection = transport.connect(ConnectOptions.to(listener.localAddress()));
            connection.close();
        }
    }

    private void cycleMounts(int count) throws IOException {
        InetSocketAddress address = listener.localAddress();
        for (int i = 0; i < count; i++) {
            try (NfsMount mount = NfsMount.create(
                    "leak",
                    address.getAddress().getHostAddress(),
                    "/",
                    "port=" + address.getPort(),
                    transport,
                    stack.memory(),
                    new SystemRuntime())) {
                mount.connect(TIMEOUT);
                assertThat(mount.list("/")).isEmpty();
            }
        }
    }

    /** Waits until the remaining resources are gone: the accepting side may end a moment after the connecting one. */
    private void assertSettlesAt(Holdings before) {
        await(() -> transport.connections().isEmpty()
                && stack.memory().leasedBytes() == 0
                && Holdings.now().isWithin(before));
        assertThat(stack.memory().holdings()).as("shares of the memory budget").isEmpty();
        assertThat(transport.connections()).isEmpty();
        Holdings after = Holdings.now();
        assertThat(after.threads()).as("threads").isSubsetOf(before.threads());
        assertThat(after.descriptors()).as("open sockets, pipes and files").hasSizeLessThanOrEqualTo(before.size());
        assertThat(after.directOctets())
                .as("octets of direct memory")
                .isLessThanOrEqualTo(before.directOctets() + Holdings.SLACK);
        assertThat(after.heapOctets())
                .as("octets of the heap after a collection")
                .isLessThanOrEqualTo(before.heapOctets() + Holdings.SLACK);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            System.gc(); // frees the direct memory of unreachable buffers
            Thread.onSpinWait();
        }
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains("verbena") || name.contains("iwarp") || name.contains("rpcrdma"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The resources of this process, which has the client and the export in it. */
    private record Holdings(Set<String> threads, List<String> descriptors, long directOctets, long heapOctets) {
        /** What the JVM and the test may take meanwhile: 420 octets a connection, 4 KiB a mount. */
        private static final long SLACK = 4 << 20;

        private static final int COLLECTIONS = 3;
        private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

        static Holdings now() {
            return new Holdings(LeakTest.threads(), openDescriptors(), directMemory(), heap());
        }

        boolean isWithin(Holdings before) {
            return before.threads.containsAll(threads)
                    && descriptors.size() <= before.size()
                    && directOctets <= before.directOctets + SLACK
                    && heapOctets <= before.heapOctets + SLACK;
        }

        int size() {
            return descriptors.size();
        }

        /**
         * Descriptors of sockets, pipes and files of tests; jars are left out, since class loading opens them at any
         * time.
         */
        private static List<String> openDescriptors() {
            Path open = Path.of("/proc/self/fd");
            if (!Files.isDirectory(open)) {
                return List.of(); // not Linux: only threads and memory can be checked
            }
            List<String> targets = new ArrayList<>();
            try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(open)) {
                for (Path descriptor : descriptors) {
                    String target = targetOf(descriptor);
                    if (!target.startsWith("/") || target.startsWith(TEMPORARY)) {
                        targets.add(target);
                    }
                }
            } catch (IOException e) {
                throw new AssertionError("cannot list " + open, e);
            }
            return targets;
        }

        private static String targetOf(Path descriptor) throws IOException {
            try {
                return Files.readSymbolicLink(descriptor).toString();
            } catch (NoSuchFileException e) {
                return "/"; // the descriptor was closed after it was listed
            }
        }

        /** What is reachable: the least of some collections, since objects of other threads come and go. */
        private static long heap() {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < COLLECTIONS; i++) {
                System.gc();
                least = Math.min(
                        least,
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
            return least;
        }

        private static long directMemory() {
            return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(pool -> pool.getName().equals("direct"))
                    .mapToLong(BufferPoolMXBean::getMemoryUsed)
                    .sum();
        }
    }
}
