package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.BorrowingFuture;
import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.file.NfsFile;
import io.verbena.nfs41.client.internal.file.ReadOperation;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountMemory;
import io.verbena.runtime.SystemRuntime;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever is thrown below, a call comes to its end, and the mount goes on. */
@Timeout(60)
class ThrownTest {
    private static final Set<StandardOpenOption> BOTH = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldGoOnAfterErrorsOfTheTransport() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            server.error = new OutOfMemoryError("Cannot reserve 66000 bytes of direct buffer memory");
            for (int i = 0; i < 2 * FakeServer.SLOTS; i++) {
                assertThatThrownBy(
                                () -> file.readAsync(ByteBuffer.allocate(3), 0).get(20, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(OutOfMemoryError.class);
            }
            server.error = null;
            assertThat(file.readAsync(ByteBuffer.allocate(3), 0).get(20, TimeUnit.SECONDS))
                    .isEqualTo(-1);
        }
    }

    @Test
    void shouldEndACallThatFailsUnexpectedly() throws Exception {
        try (NfsMount mount = server.mount("")) {
            RemoteFile file = mount.open("/file", BOTH, 0600);
            server.onRequest = () -> {
                server.onRequest = () -> {};
                throw new IllegalStateException("never thought of");
            };
            assertThatThrownBy(() -> file.writeAsync(ByteBuffer.allocate(3), 0).get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("never thought of");
            assertThatThrownBy(file::close).hasRootCauseMessage("never thought of");
        }
    }

    @Test
    void shouldRefuseToReadIntoABufferThatIsReadOnly() throws Exception {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            file.write(ByteBuffer.allocate(3), 0);
            for (ByteBuffer buffer : List.of(ByteBuffer.allocate(3), ByteBuffer.allocateDirect(3))) {
                ByteBuffer readOnly = buffer.asReadOnlyBuffer();
                assertThatThrownBy(() -> file.readAsync(readOnly, 0)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> file.read(readOnly, 0)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> file.channel().read(readOnly)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(file.readAsync(ByteBuffer.allocate(5), 0).get(20, TimeUnit.SECONDS))
                    .isEqualTo(3);
        }
    }

    private static final class Here implements BorrowingFuture.Threads {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void complete(Runnable completion) {
            completion.run();
        }
    }

    @Test
    void shouldFailAReadThatGetsNoBuffer() throws Exception {
        int tooLarge = 8 << 20;
        try (NfsMount mount = server.mount("");
                NfsFile file = (NfsFile) mount.open("/file", BOTH, 0600)) {
            MountMemory little = new MountMemory(
                    new DirectMemory(1 << 20).share("mount m"),
                    Duration.ofSeconds(1),
                    new MountLifetime("m", new SystemRuntime()));
            ReadOperation read = new ReadOperation(
                    file.state(),
                    little,
                    ByteBuffer.allocate(tooLarge),
                    new ReadOperation.Range(0, tooLarge),
                    0,
                    () -> tooLarge,
                    new BorrowingFuture<>(new Here()));
            assertThat(read.start()).isCompletedExceptionally();
        }
    }
}
