package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.verbena.conformance.HandOvers;
import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryBudget;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * An Error at any one hand-over between the client and its transport: each call ends, nothing is left behind, and the
 * mount goes on.
 */
class EveryHandOverTest {
    private static final Duration BOUND = Duration.ofSeconds(40);
    private static final long STEP_SECONDS = 20;
    private static final int WRITE_SIZE = 4096;
    private static final Set<StandardOpenOption> BOTH =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    /** What may fail with anything, but ends. */
    private interface Step {
        void run() throws Exception;
    }

    @TestFactory
    Stream<DynamicTest> shouldEndExactlyWhatAnErrorConcerns() {
        int handOvers = assertTimeoutPreemptively(BOUND, () -> runWithFailureAt(0));
        assertThat(handOvers).isGreaterThan(60);
        return IntStream.rangeClosed(1, handOvers)
                .mapToObj(number -> DynamicTest.dynamicTest(
                        "hand-over " + number,
                        () -> assertTimeoutPreemptively(
                                BOUND, () -> runWithFailureAt(number), () -> "hand-over " + number)));
    }

    /** How many hand-overs there were. */
    private static int runWithFailureAt(int number) throws Exception {
        HandOvers handOvers = new HandOvers().leaving(BufferLease.class);
        DirectMemory memory = new DirectMemory(64 << 20);
        try (FakeServer server = new FakeServer()) {
            RpcTransport transport = handOvers.through(RpcTransport.class, server);
            String options = "wsize=" + WRITE_SIZE + ",rsize=" + WRITE_SIZE;
            NfsMount mount = NfsMount.create(
                    "m",
                    "127.0.0.1",
                    "/",
                    options,
                    transport,
                    handOvers.through(MemoryBudget.class, memory),
                    new SystemRuntime());
            handOvers.failAt(number);
            attempt(() -> mount.connect(BOUND));
            attempt(() -> use(mount));
            int passed = handOvers.passed();
            handOvers.failAt(0);
            requireWhole(mount);
            mount.close();
            assertThat(memory.holdings()).isEmpty();
            assertThat(memory.leasedBytes()).isZero();
            memory.close();
            return passed;
        }
    }

    private static void attempt(Step step) throws Exception {
        try {
            step.run();
        } catch (IOException | IllegalStateException | OutOfMemoryError e) {
            assertThat(e).isNotInstanceOf(MountReplacedException.class);
        }
    }

    /** Of each kind of call one, which ends whatever becomes of it. */
    private static void use(NfsMount mount) throws Exception {
        NfsFile file = (NfsFile) mount.open("/file", BOTH, 0600);
        attempt(() -> writeAndRead(file));
        attempt(() -> useChannel(file));
        attempt(() -> lock(file));
        attempt(() -> file.truncate(100));
        attempt(file::attributes);
        attempt(() -> mount.attributes("/file", true));
        attempt(() -> mount.setAttributes("/file", AttributeChanges.NONE.withMode(0640), true));
        attempt(() -> mount.rename("/file", "/other"));
        attempt(file::sync);
        attempt(file::close);
        assertThat(file.isOpen()).isFalse();
        assertThat(file.core().writes().retainedBytes()).isZero();
        assertThat(file.core().writes().isPending()).isFalse();
    }

    private static void writeAndRead(NfsFile file) throws Exception {
        CompletableFuture<Void> first = file.writeAsync(ByteBuffer.allocate(2 * WRITE_SIZE + 10), 0);
        CompletableFuture<Void> over = file.writeAsync(ByteBuffer.allocate(WRITE_SIZE), 100);
        CompletableFuture<Long> append = file.appendAsync(ByteBuffer.allocate(10), at -> {});
        CompletableFuture<Integer> read = file.readAsync(ByteBuffer.allocateDirect(3 * WRITE_SIZE), 0);
        CompletableFuture<Integer> copied = file.readAsync(ByteBuffer.allocate(3 * WRITE_SIZE), 0);
        end(first);
        end(over);
        end(append);
        end(read);
        end(copied);
    }

    private static void end(CompletableFuture<?> call) throws Exception {
        try {
            call.get(STEP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(call).isCompletedExceptionally();
        }
    }

    private static void useChannel(NfsFile file) throws Exception {
        try (SeekableByteChannel channel = file.channel()) {
            for (int i = 0; i < 12; i++) {
                channel.write(ByteBuffer.allocate(WRITE_SIZE / 3));
            }
            channel.position(0);
            while (channel.read(ByteBuffer.allocate(1000)) > 0) {
                assertThat(channel.isOpen()).isTrue();
            }
        }
    }

    private static void lock(NfsFile file) throws IOException {
        Optional<RemoteLock> lock = file.tryLock(0, 10, false);
        if (lock.isPresent()) {
            lock.get().close();
        }
    }

    /** What came behind the failure goes as if there had been none, and all slots come back. */
    private static void requireWhole(NfsMount mount) throws Exception {
        mount.connect(BOUND);
        NfsFile file = (NfsFile) mount.open("/after", BOTH, 0600);
        CompletableFuture<?>[] writes = IntStream.range(0, 2 * FakeServer.SLOTS)
                .mapToObj(i -> file.writeAsync(ByteBuffer.allocate(WRITE_SIZE), (long) i * WRITE_SIZE))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(writes).get(STEP_SECONDS, TimeUnit.SECONDS);
        file.sync();
        assertThat(file.read(ByteBuffer.allocate(2 * WRITE_SIZE), 0)).isEqualTo(2 * WRITE_SIZE);
        try (RemoteLock lock = file.tryLock(0, 10, false).orElseThrow()) {
            assertThat(lock.isValid()).isTrue();
        }
        file.close();
        assertThat(file.lifetime().awaitIdle(TimeUnit.SECONDS.toNanos(STEP_SECONDS)))
                .isTrue();
        CountDownLatch idle = new CountDownLatch(1);
        mount.assembly().sessions().present().slots().drain(idle::countDown);
        assertThat(idle.await(STEP_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
}
