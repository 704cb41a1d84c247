package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.IwarpPeer;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.testing.GreedyPeer;
import io.verbena.nfs41.client.internal.testing.Relay;
import io.verbena.nfs41.client.internal.testing.SmallExport;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An export with a small heap, a peer that makes it hold as much as it can, and a mount beside it. The system property
 * {@code greedy.seconds} says for how long at least: five minutes are for by hand (docs/performance.md).
 */
@Timeout(900)
class GreedyPeerTest {
    private static final long NANOS =
            Duration.ofSeconds(Long.getLong("greedy.seconds", 3)).toNanos();
    private static final int CLIENTS = 98;
    private static final int SESSIONS = 16;
    private static final String FILLING = "filling";
    private static final String LONG = "long";
    private static final int MIB = 1 << 20;
    private static final int SLOTS = 64;
    private static final int UNUSED = 5000;

    /** The mount alone is measured for this part of the time: to warm up, before the greed, and after it. */
    private static final int ALONE = 5;

    /** A shorter run shows the rates, but they say little. */
    private static final Duration LONG_RUN = Duration.ofSeconds(60);

    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    @TempDir
    Path folder;

    private final Stack stack = new Stack();
    private final Random random = new Random(3);
    private SmallExport export;
    private int trees;

    @BeforeEach
    void serve() throws Exception {
        Path exported = Files.createDirectory(folder.resolve("export"));
        Files.write(exported.resolve(FILLING), new byte[16 << 10]);
        Files.write(exported.resolve(LONG), new byte[MIB]);
        export = new SmallExport(folder, "-Xmx256m", "-XX:MaxDirectMemorySize=256m");
    }

    @AfterEach
    void close() throws Exception {
        export.close();
        stack.close();
    }

    private NfsMount mount(String name) throws Exception {
        NfsMount mount = NfsMount.create(
                name,
                "127.0.0.1",
                "/",
                "port=" + export.address().getPort(),
                stack.transport(),
                new DirectMemory(),
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(60));
        return mount;
    }

    private byte[] randomBytes() {
        byte[] content = new byte[10_000 + random.nextInt(100_000)];
        random.nextBytes(content);
        return content;
    }

    /** Makes a tree, reads it back, compares and removes it. */
    private void copyAndCompare(NfsMount mount, int round) throws Exception {
        String top = "/tree " + round;
        Map<String, byte[]> tree = new TreeMap<>();
        mount.createDirectory(top, 0700);
        for (int i = 0; i < 2; i++) {
            mount.createDirectory(top + "/" + i, 0700);
            for (int j = 0; j < 3; j++) {
                String path = top + "/" + i + "/" + j;
                tree.put(path, randomBytes());
                try (RemoteFile file = mount.open(path, NEW, 0600)) {
                    file.write(ByteBuffer.wrap(tree.get(path)), 0);
                    file.sync();
                }
            }
        }
        for (Map.Entry<String, byte[]> each : tree.entrySet()) {
            ByteBuffer read = ByteBuffer.allocate(each.getValue().length);
            try (RemoteFile file = mount.open(each.getKey(), Set.of(StandardOpenOption.READ), 0)) {
                assertThat(file.read(read, 0)).isEqualTo(read.capacity());
            }
            assertThat(read.array()).isEqualTo(each.getValue());
            assertThat(mount.attributes(each.getKey(), true).size()).isEqualTo(read.capacity());
            mount.remove(each.getKey());
        }
        for (String each : List.of(top + "/0", top + "/1", top)) {
            mount.remove(each);
        }
    }

    /** Fills the export, at least once in each slot that it grants. */
    private void fill(GreedyPeer greedy, long end) {
        try {
            for (int client = 0; client < CLIENTS; client++) {
                greedy.makeSessions(client, SESSIONS);
            }
            do {
                for (int session = 0; session < greedy.sessions(); session++) {
                    greedy.fill(session, FILLING);
                }
            } while (System.nanoTime() - end < 0);
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }

    /** What a peer does until the time is over. */
    @FunctionalInterface
    private interface Greed {
        /** @param end when it is over, as {@link System#nanoTime} */
        void run(long end) throws Exception;
    }

    /** Copies trees until a condition is true, at least one; the number of the next tree goes on. */
    private double rate(NfsMount mount, BooleanSupplier isOver) throws Exception {
        long start = System.nanoTime();
        int first = trees;
        do {
            copyAndCompare(mount, trees++);
        } while (!isOver.getAsBoolean());
        return (trees - first) * 1e9 / (System.nanoTime() - start);
    }

    private double rateAlone(NfsMount mount) throws Exception {
        long end = System.nanoTime() + NANOS / ALONE;
        return rate(mount, () -> System.nanoTime() - end > 0);
    }

    /** A mount works beside the greed and after it, and another one can be made. Prints a row of rates. */
    private void outlive(String peer, Greed greed) throws Exception {
        try (NfsMount mount = mount("early")) {
            rateAlone(mount); // the processes warm up
            double before = rateAlone(mount);
            CompletableFuture<Void> going = CompletableFuture.runAsync(() -> {
                try {
                    greed.run(System.nanoTime() + NANOS);
                } catch (Exception e) {
                    throw new CompletionException(e);
                }
            });
            AtomicLong mostDirect = new AtomicLong();
            int first = trees;
            double beside = rate(mount, () -> {
                mostDirect.accumulateAndGet(directOctets(), Math::max);
                return going.isDone();
            });
            int copied = trees - first;
            going.join();
            assertThat(export.isAlive()).isTrue();
            try (NfsMount late = mount("late")) {
                copyAndCompare(late, trees++);
            }
            double after = rateAlone(mount);
            double ratio = 2 * beside / (before + after);
            System.out.printf(
                    "| %s | %d trees | %.1f/s beside | %.1f/s before | %.1f/s after | ratio %.2f | %.1f MB direct"
                            + " | %s%n",
                    peer, copied, beside, before, after, ratio, mostDirect.get() / 1e6, export.counters());
            if (NANOS >= LONG_RUN.toNanos()) {
                assertThat(ratio)
                        .as("the part of its rate that the mount keeps")
                        .isGreaterThanOrEqualTo(0.5);
            }
        }
    }

    private long directOctets() {
        try {
            return export.counters().get("directOctets");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldOutliveAPeerThatFillsReplyCachesAndServeOthers() throws Exception {
        try (GreedyPeer greedy = new GreedyPeer(stack.transport(), export.address(), "greedy")) {
            outlive("fills reply caches", end -> fill(greedy, end));
            assertThat(greedy.answers()).containsKeys(Status.NFS4_OK, Status.NFS4ERR_DELAY);
            assertThat(greedy.slots()).isLessThan(CLIENTS * SESSIONS * 64);
            Map<String, Long> counters = export.counters();
            assertThat(counters.get("stateOctets")).isBetween(10L << 20, counters.get("stateLimit"));
            System.out.printf(
                    "beside %s in %d sessions and %d slots%n", greedy.answers(), greedy.sessions(), greedy.slots());
        }
    }

    /** One of several: runs until the time is over, or somebody fails. */
    private static void inParallel(int count, long end, Greed greed) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(threads.submit(() -> {
                    greed.run(end);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** A call of 104 octets with a Read chunk of a MiB and four octets that nobody answers (RFC 8166 section 4.3). */
    private static ByteBuffer callWithUnansweredRead(int xid) {
        ByteBuffer out = ByteBuffer.allocate(104);
        for (int word : new int[] {xid, 1, SLOTS, 0, 1, 52, 0xbad, MIB + 4, 0, 0, 0, 0, 0}) {
            out.putInt(word);
        }
        for (int word : new int[] {xid, 0, 2, 100003, 4, 1, 0, 0, 0, 0, 0, 1, 1}) {
            out.putInt(word);
        }
        return out.flip();
    }

    @Test
    void shouldOutlivePeersThatAnswerNoRead() throws Exception {
        AtomicInteger served = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        outlive(
                "answers no RDMA Read",
                over -> inParallel(70, over, end -> {
                    while (System.nanoTime() < end) {
                        try (IwarpPeer peer = new IwarpPeer(export.address())) {
                            for (int i = 0; i < SLOTS; i++) {
                                peer.add(callWithUnansweredRead(i));
                            }
                            peer.flush();
                            peer.awaitEnd((int) Math.max(1, Math.min(60_000, (end - System.nanoTime()) / 1_000_000)));
                            served.incrementAndGet();
                        } catch (SocketTimeoutException e) {
                            served.incrementAndGet(); // the time is over
                        } catch (IOException e) {
                            refused.incrementAndGet();
                            LockSupport.parkNanos(1_000_000);
                        }
                    }
                }));
        System.out.printf("beside %d connections, and %d refused%n", served.get(), refused.get());
        assertThat(served).hasPositiveValue();
    }

    @Test
    void shouldOutlivePeersThatTakeNothing() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        try (Relay relay = new Relay(export.address());
                Stack greedyStack = new Stack()) {
            relay.mostTaken = 100_000;
            InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(), relay.port());
            AtomicInteger names = new AtomicInteger();
            outlive(
                    "takes nothing",
                    over -> inParallel(8, over, end -> {
                        String name = "greedy " + names.incrementAndGet();
                        while (System.nanoTime() < end) {
                            try (GreedyPeer greedy = new GreedyPeer(greedyStack.transport(), there, name)) {
                                greedy.makeSessions(1, 1);
                                if (greedy.sessions() > 0) {
                                    greedy.ask(0, LONG, MIB, Math.max(1, (end - System.nanoTime()) / 1_000_000_000));
                                }
                                failures.addAndGet(greedy.failures());
                            } catch (IOException e) {
                                failures.incrementAndGet();
                            }
                        }
                    }));
        }
        System.out.printf("beside %d rounds that failed%n", failures.get());
        assertThat(failures).hasPositiveValue();
    }

    @Test
    void shouldLetClientsInWhateverIsMadeAndNotUsed() throws Exception {
        AtomicInteger made = new AtomicInteger();
        try (GreedyPeer greedy = new GreedyPeer(stack.transport(), export.address(), "greedy")) {
            outlive("makes clients and does not use them", end -> {
                while (made.get() < UNUSED || System.nanoTime() - end < 0) {
                    assertThat(greedy.exchange(made.getAndIncrement())).isNotNull();
                }
            });
        }
        System.out.printf("beside %d clients that were made%n", made.get());
    }
}
