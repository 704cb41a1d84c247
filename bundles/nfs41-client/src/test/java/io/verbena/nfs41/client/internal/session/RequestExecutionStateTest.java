package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.identity.ClientOwner;
import io.verbena.nfs41.client.internal.link.TransportSource;
import io.verbena.nfs41.client.internal.mount.MountAssembly;
import io.verbena.nfs41.client.internal.names.DirectoryPages;
import io.verbena.nfs41.client.internal.security.SecuritySource;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The states of a request, each as it can be seen from outside. */
@Timeout(60)
class RequestExecutionStateTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private final FakeServer server = new FakeServer();
    private final MountSettings settings = MountSettings.of("m", "127.0.0.1", "/", MountOptions.parse("hard,timeo=2"));
    private final MountAssembly assembly = new MountAssembly(
            settings,
            new TransportSource(server, RUNTIME),
            new SecuritySource(null, RUNTIME),
            null,
            new DirectMemory(),
            new MountLifetime("m", RUNTIME),
            ClientOwner.random("m", RUNTIME),
            RUNTIME);

    @BeforeEach
    void mount() throws IOException {
        assembly.start();
        assembly.connect(Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        assembly.close(Duration.ofSeconds(10));
        server.close();
    }

    private RequestExecution<ReadDir.Result> exchange() {
        return new RequestExecution<>(assembly.caller(), new DirectoryPages.Page(FakeServer.HANDLE, 0, 0), null, null);
    }

    private static void await(RequestExecution<?> exchange, RequestExecutionState state) throws InterruptedException {
        while (exchange.state() != state) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    void shouldBeSentUntilTheReplyComes() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.gate = gate;
        RequestExecution<?> exchange = exchange();
        assertThat(exchange.state()).isEqualTo(RequestExecutionState.SESSION);
        CompletableFuture<?> done = exchange.start();
        assertThat(exchange.state()).isEqualTo(RequestExecutionState.SENT);
        gate.countDown();
        done.get(20, TimeUnit.SECONDS);
        assertThat(exchange.state()).isEqualTo(RequestExecutionState.DONE);
    }

    @Test
    void shouldWaitForASlotWhereThereIsNone() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.gate = gate;
        List<CompletableFuture<?>> started = new ArrayList<>();
        for (int i = 0; i < FakeServer.SLOTS; i++) {
            started.add(exchange().start());
        }
        RequestExecution<?> last = exchange();
        started.add(last.start());
        assertThat(last.state()).isEqualTo(RequestExecutionState.SLOT);
        gate.countDown();
        for (CompletableFuture<?> each : started) {
            each.get(20, TimeUnit.SECONDS);
        }
        assertThat(last.state()).isEqualTo(RequestExecutionState.DONE);
    }

    @Test
    void shouldPauseAfterATimeOutAndGoOn() throws Exception {
        server.silent = true;
        RequestExecution<?> exchange = exchange();
        CompletableFuture<?> done = exchange.start();
        await(exchange, RequestExecutionState.PAUSE);
        assertThat(assembly.sessions().present().slots().inUse()).isPositive();
        server.silent = false;
        done.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldHoldNothingWhileTheServerHasPutItOff() throws Exception {
        server.failNext(
                Opcode.READDIR, Collections.nCopies(1000, Status.NFS4ERR_DELAY).toArray(Status[]::new));
        RequestExecution<?> exchange = exchange();
        CompletableFuture<?> done = exchange.start();
        await(exchange, RequestExecutionState.POSTPONED);
        server.failNoMore(Opcode.READDIR);
        done.get(20, TimeUnit.SECONDS);
        assertThat(exchange.state()).isEqualTo(RequestExecutionState.DONE);
    }
}
