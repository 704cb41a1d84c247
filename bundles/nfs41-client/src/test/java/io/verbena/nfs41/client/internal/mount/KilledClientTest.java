package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.client.internal.testing.KilledClient;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are clients of one server: one that was killed and starts again, and several at a time. */
@Timeout(80) // shorter than the lease of 90 s, which a client that is not recognised has to wait for
class KilledClientTest {
    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();
    private final Stack stack = new Stack();
    private NfsServer server;
    private RpcListener listener;

    @BeforeEach
    void serve() throws IOException {
        ExportSettings settings = ExportSettings.of("test", Files.createDirectory(folder.resolve("export")))
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY));
        server = new NfsServer(settings, folder.resolve("server"), new SystemRuntime());
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
    }

    @AfterEach
    void close() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly();
            process.waitFor(20, TimeUnit.SECONDS);
        }
        listener.close();
        server.close();
        stack.close();
    }

    private Process start() throws IOException {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes,
                KilledClient.class.getName(),
                String.valueOf(listener.localAddress().getPort()));
        builder.environment().put("XDG_STATE_HOME", folder.resolve("client").toString());
        builder.redirectError(folder.resolve("errors").toFile());
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private static String line(Process process) throws IOException {
        return new BufferedReader(process.inputReader(StandardCharsets.UTF_8)).readLine();
    }

    @Test
    void shouldTakeItsDeadSelfsPlaceAtOnce() throws Exception {
        Process first = start();
        String owner = line(first);
        assertThat(owner).endsWith(" locked");
        first.destroyForcibly();
        assertThat(first.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(line(start())).isEqualTo(owner);
        assertThat(server.counters()).containsEntry("clients", 1L);
    }

    @Test
    void shouldNotTakeThePlaceOfOneThatLives() throws Exception {
        Process first = start();
        String owner = line(first);
        assertThat(owner).endsWith(" locked");
        String other = line(start());
        assertThat(other).endsWith(" not locked");
        assertThat(other.split(" ", -1)[0]).isNotEqualTo(owner.split(" ", -1)[0]);
        assertThat(first.isAlive()).isTrue();
    }
}
