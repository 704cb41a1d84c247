package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.TestThread;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When closing a mount returns, the mount has ended, whoever else closes it and whatever else happens. */
@Timeout(60)
class ClosingMountTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    private NfsMount withOpenFile() throws IOException {
        NfsMount mount = server.mount("");
        RemoteFile unused = mount.open("/file", Set.of(StandardOpenOption.WRITE), 0600);
        return mount;
    }

    private static void close(NfsMount mount) {
        mount.end(MountLifetime.End.UNMOUNTED, LONG);
    }

    private void assertEnded() {
        assertThat(server.destroyed).isNotEmpty();
    }

    @Test
    void shouldWaitForTheThreadThatClosesAlready() throws Exception {
        NfsMount mount = withOpenFile();
        server.hold(Opcode.CLOSE);
        TestThread first = TestThread.start(() -> close(mount));
        server.awaitHeld();
        TestThread second = TestThread.start(() -> {
                    close(mount);
                    assertEnded();
                })
                .awaitWaiting();
        server.letGo();
        assertThat(first.end()).isNull();
        assertThat(second.end()).isNull();
    }

    @Test
    void shouldNotWaitForThatThreadBeyondTheBound() throws Exception {
        NfsMount mount = withOpenFile();
        server.hold(Opcode.CLOSE);
        TestThread first = TestThread.start(() -> close(mount));
        server.awaitHeld();
        mount.end(MountLifetime.End.UNMOUNTED, Duration.ofMillis(50));
        server.letGo();
        assertThat(first.end()).isNull();
    }

    @Test
    void shouldNotBeHurriedByAnInterrupt() throws Exception {
        NfsMount mount = withOpenFile();
        server.hold(Opcode.CLOSE);
        TestThread closing = TestThread.start(() -> {
            Thread.currentThread().interrupt();
            close(mount);
            assertThat(Thread.interrupted()).isTrue();
            assertEnded();
        });
        server.awaitHeld();
        closing.awaitWaiting();
        server.letGo();
        assertThat(closing.end()).isNull();
    }

    @Test
    void shouldNotWaitForItself() throws Exception {
        AtomicReference<NfsMount> made = new AtomicReference<>();
        NfsMount mount = NfsMount.create(
                "m",
                "127.0.0.1",
                "/",
                "",
                server,
                MountUser.OF_OPTIONS,
                new DirectMemory(),
                new SystemRuntime(),
                () -> close(made.get()));
        made.set(mount);
        mount.connect(Duration.ofSeconds(20));
        assertThat(TestThread.start(() -> close(mount)).end()).isNull();
        assertEnded();
    }

    /** Whoever closes waits for the operation, and with it for the thread that completes it. */
    @Test
    void shouldNotWaitOnAThreadThatCompletesAnOperation() throws Exception {
        NfsMount mount = server.mount("");
        server.hold(Opcode.GETATTR);
        CompletableFuture<Void> closedAgain = mount.attributesAsync("/file").thenAccept(attributes -> close(mount));
        server.awaitHeld();
        TestThread closing = TestThread.start(() -> close(mount)).awaitWaiting();
        server.letGo();
        assertThat(closing.end()).isNull();
        assertThat(closedAgain).isCompleted();
        assertEnded();
    }

    /** A mount whose end stopped halfway would keep its connection for ever. */
    @Test
    void shouldRefuseToCloseOnAThreadThatCompletesAnOperation() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        server.onClose = closed::incrementAndGet;
        NfsMount mount = withOpenFile();
        server.hold(Opcode.GETATTR);
        CompletableFuture<Void> closing = mount.attributesAsync("/file").thenAccept(attributes -> close(mount));
        server.awaitHeld();
        server.letGo();
        assertThatThrownBy(() -> closing.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        close(mount);
        assertThat(closed).hasValue(1);
        assertEnded();
    }
}
