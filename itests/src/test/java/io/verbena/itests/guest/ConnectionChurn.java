package io.verbena.itests.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.RdmaProviderContract;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closed connections leave no resources behind in the kernel and in this process. */
@Tag("in-guest")
class ConnectionChurn extends RdmaProviderContract {
    private static final int WARM_UP = 100;
    private static final int PORTS_TRIED = 4;
    private static final int CYCLES = Integer.getInteger("verbena.contract.cycles", 500);
    private static final int COLLECTION = 25;
    private static final int SIZE = 4096;

    /** The allowed growth of memory, because of allocators; less than a page for each end. */
    private static final long GROWTH_KIB = 3 << 10;

    /** Kinds of the kernel's RDMA objects. */
    private static final List<String> KINDS = List.of("pd", "mr", "cq", "qp", "cm_id", "ctx");

    @Override
    protected RdmaProvider createProvider() throws Exception {
        return Providers.NATIVE.create();
    }

    @Override
    protected void destroyProvider(RdmaProvider provider) throws Exception {
        Providers.NATIVE.destroy(provider);
    }

    @Override
    protected InetAddress address() {
        return ContractAddress.named();
    }

    @Test
    @Timeout(180)
    void shouldLeaveNothingBehind() throws Exception {
        churn(WARM_UP);
        List<String> resources = resources();
        Set<String> threads = threads();
        long descriptors = descriptors();
        long memory = residentKibibytes();

        churn(CYCLES);

        awaitResources(resources);
        assertThat(threads()).isEqualTo(threads);
        assertThat(descriptors()).isEqualTo(descriptors);
        assertThat(residentKibibytes() - memory).isLessThan(GROWTH_KIB);
    }

    private void churn(int cycles) throws Exception {
        ByteBuffer there = buffer(SIZE);
        ByteBuffer back = buffer(SIZE);
        byte[] data = random(SIZE);
        for (int i = 0; i < cycles; i++) {
            Pair pair = connectFromFreePort();
            RdmaConnection client = pair.client().connection();
            RdmaConnection server = pair.server().connection();
            MemoryRegion written = server.register(there.clear(), Access.REMOTE_WRITE);
            MemoryRegion received = server.register(back.clear(), Access.LOCAL);
            MemoryRegion source = client.register(filled(data), Access.LOCAL);
            server.postReceive(1, received, 0, SIZE);
            client.postWrite(
                    1, source, 0, SIZE, written.steeringTag(), written.remoteOffset(), RdmaConnection.UNSIGNALED);
            client.postSend(2, source, 0, SIZE, 0);
            assertThat(pair.server().nextSuccess().length()).isEqualTo(SIZE);
            assertThat(bytes(there, 0, SIZE)).isEqualTo(data);
            (i % 2 == 0 ? client : server).close();
            (i % 2 == 0 ? server : client).close();
            if (i % COLLECTION == 0) {
                System.gc(); // the JVM frees direct buffers then; there is the same amount to free each time
            }
        }
    }

    /**
     * Connects again if the port is taken: the connection manager picks a port that a TCP socket may use, and siw
     * reports that.
     */
    private Pair connectFromFreePort() throws Exception {
        for (int left = PORTS_TRIED; ; left--) {
            try {
                return connect();
            } catch (RdmaException e) {
                if (left == 1 || e.kind() != RdmaException.Kind.ADDRESS_UNAVAILABLE) {
                    throw e;
                }
            }
        }
    }

    /** The kernel's RDMA objects of each device and of all processes: their numbers, and each object. */
    private static List<String> resources() throws IOException {
        List<String> lines = new ArrayList<>(rdma("resource", "show"));
        for (String kind : KINDS) {
            // without a number that changes with each datagram of the connection manager
            rdma("resource", "show", kind)
                    .forEach(line -> lines.add(kind + ": " + line.replaceAll("sq-psn \\d+", "sq-psn")));
        }
        return lines;
    }

    private static List<String> rdma(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("rdma"));
        command.addAll(List.of(arguments));
        Process rdma = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            return new String(rdma.getInputStream().readAllBytes(), UTF_8)
                    .lines()
                    .toList();
        } finally { // the thread that waits for the end of a process closes its pipes late, and they are counted
            rdma.getOutputStream().close();
            rdma.getInputStream().close();
            rdma.getErrorStream().close();
        }
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("native"))
                .collect(Collectors.toSet());
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /** Waits for the expected objects; the kernel releases some a little later. */
    private static void awaitResources(List<String> expected) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        List<String> found = resources();
        while (!found.equals(expected) && System.nanoTime() < end) {
            found = resources();
        }
        assertThat(found).isEqualTo(expected);
    }

    /** The resident memory of this process, whose Java heap is touched completely at the start. */
    private static long residentKibibytes() throws IOException {
        System.gc();
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }
}
