package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the close of an export waits for, and that nothing is left of the export then. */
@Timeout(60)
class ExportClosingTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    Path temporary;

    private final AtomicReference<Runnable> duringServerStart = new AtomicReference<>(() -> {});
    private final AtomicReference<Runnable> beforeTheWait = new AtomicReference<>(() -> {});
    /** Whether the next wait for an executor has no time; that executor is then left behind. */
    private final AtomicBoolean isImpatient = new AtomicBoolean();

    private final AtomicReference<ExecutorService> leftBehind = new AtomicReference<>();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicReference<Runnable> duringListen = new AtomicReference<>(() -> {});
    private final AtomicReference<Runnable> duringClose = new AtomicReference<>(() -> {});
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private ExportService export;

    private final SystemRuntime runtime = new SystemRuntime() {
        @Override
        public ExecutorService newExecutor(String prefix, int threads, Duration idle) {
            duringServerStart.get().run();
            return super.newExecutor(prefix, threads, idle);
        }

        @Override
        public boolean awaitEnd(ExecutorService executor, long timeoutNanos) throws InterruptedException {
            beforeTheWait.getAndSet(() -> {}).run();
            if (isImpatient.getAndSet(false)) {
                leftBehind.set(executor);
                return false;
            }
            return super.awaitEnd(executor, timeoutNanos);
        }
    };

    private final RpcTransport transport = new RpcTransport() {
        @Override
        public RpcConnection connect(ConnectOptions options) throws IOException {
            throw new IOException("not here");
        }

        @Override
        public RpcListener listen(ListenOptions options, RpcProgram program) {
            duringListen.get().run();
            return new RpcListener() {
                @Override
                public InetSocketAddress localAddress() {
                    return ANY;
                }

                @Override
                public Map<String, String> settings() {
                    return Map.of();
                }

                @Override
                public void close() {
                    duringClose.get().run();
                    isClosed.set(true);
                }
            };
        }
    };

    @BeforeEach
    void export() throws Exception {
        ExportSettings settings = ExportSettings.of("docs", Files.createDirectory(temporary.resolve("export")));
        export = new ExportService(
                new ExportOptions(settings, ListenOptions.on(ANY)),
                temporary.resolve("state"),
                ServerMemory.ofHeap(),
                runtime);
    }

    @AfterEach
    void end() {
        goOn.countDown();
        export.close();
    }

    private void hold() {
        reached.countDown();
        await(goOn);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts something in a thread that then waits. */
    private static Thread waiting(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        assertThat(thread.isAlive()).isTrue();
        return thread;
    }

    @Test
    @DisplayName("whoever closes an export waits for another thread that closes it already")
    void shouldWaitForTheThreadThatCloses() throws Exception {
        export.useTransport(transport);
        export.awaitListening(BOUND);
        duringClose.set(this::hold);
        Thread first = new Thread(export::close);
        first.start();
        await(reached);
        Thread second = waiting(export::close);
        goOn.countDown();
        second.join();
        assertThat(isClosed).isTrue();
        first.join();
    }

    @Test
    @DisplayName("an interrupt does not end the wait for the thread that begins to listen")
    void shouldNotBeHurriedByAnInterrupt() throws Exception {
        duringListen.set(this::hold);
        export.useTransport(transport);
        await(reached);
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Thread closing = waiting(() -> {
            Thread.currentThread().interrupt();
            export.close();
            isInterrupted.set(Thread.interrupted());
        });
        goOn.countDown();
        closing.join();
        assertThat(isClosed).isTrue();
        assertThat(isInterrupted).isTrue();
    }

    @Test
    @DisplayName("a transport that comes while the export is closed does not save the listener from that")
    void shouldCloseTheListenerThoughAnotherTransportComesMeanwhile() throws Exception {
        export.useTransport(transport);
        export.awaitListening(BOUND);
        beforeTheWait.set(() -> export.useTransport(transport));
        export.close();
        assertThat(isClosed).isTrue();
    }

    @Test
    @DisplayName("a thread that begins to listen too late leaves no server behind")
    void shouldLeaveNoServerOfAThreadThatIsLate() throws Exception {
        duringServerStart.set(this::hold);
        export.useTransport(transport);
        await(reached);
        isImpatient.set(true);
        export.close();
        goOn.countDown();
        assertThat(runtime.awaitEnd(leftBehind.get(), BOUND.toNanos())).isTrue();
        assertThat(export.counters()).isEmpty();
    }
}
