package io.verbena.nfs41.client.internal.mount;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.client.internal.testing.Stack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ServerMemory;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that wants more opens and locks than the server keeps of one client is told so, and does not wait. */
@Timeout(60)
class StateLimitTest {
    private static final int LIMIT = 8;

    @TempDir
    private Path exported;

    @TempDir
    private Path state;

    private final Stack stack = new Stack();
    private final List<RemoteFile> open = new ArrayList<>();
    private NfsServer server;
    private RpcListener listener;

    @BeforeEach
    void serve() throws IOException {
        Files.writeString(exported.resolve("file"), "content");
        ExportSettings settings = ExportSettings.of("test", exported)
                .withSquash(new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY))
                .withDelegations(false);
        ServerMemory memory = ServerMemory.ofHeap();
        server = new NfsServer(
                settings, state, new ServerMemory(memory.states(), memory.caches(), LIMIT), new SystemRuntime());
        listener = stack.transport()
                .listen(ListenOptions.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), server);
    }

    @AfterEach
    void end() throws IOException {
        listener.close();
        server.close();
        stack.close();
    }

    private NfsMount mount(String kind) throws IOException {
        NfsMount mount = NfsMount.create(
                "work",
                "127.0.0.1",
                "/",
                kind + ",port=" + listener.localAddress().getPort(),
                stack.transport(),
                new DirectMemory(),
                new SystemRuntime());
        mount.connect(Duration.ofSeconds(30));
        return mount;
    }

    private void openAll(NfsMount mount, int count) throws IOException {
        while (open.size() < count) {
            open.add(mount.open("/file", Set.of(READ, WRITE), 0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hard", "soft"})
    void shouldFailTheOpenAtOnceAndSayWhatToDo(String kind) throws Exception {
        try (NfsMount mount = mount(kind)) {
            openAll(mount, LIMIT);
            assertThatThrownBy(() -> mount.open("/file", Set.of(READ), 0))
                    .isInstanceOfSatisfying(
                            NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_SERVERFAULT"))
                    .hasMessageContaining("work:/file")
                    .hasMessageContaining("with " + LIMIT + " files open by this mount")
                    .hasMessageContaining("close files, or use another mount");
            assertThatThrownBy(() -> mount.open("/new", Set.of(WRITE, CREATE_NEW), 0600))
                    .isInstanceOf(NfsException.class);
            assertThat(exported.resolve("new")).as("what could not be opened").doesNotExist();
            open.get(0).close();
            mount.open("/file", Set.of(READ), 0).close();
            try (NfsMount other = mount(kind)) {
                other.open("/file", Set.of(READ), 0).close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hard", "soft"})
    void shouldFailTheLockAtOnce(String kind) throws Exception {
        try (NfsMount mount = mount(kind)) {
            openAll(mount, LIMIT);
            assertThatThrownBy(() -> open.get(0).tryLock(0, 1, false))
                    .isInstanceOf(NfsException.class)
                    .hasMessageContaining("close files");
            open.get(1).close();
            Optional<RemoteLock> lock = open.get(0).tryLock(0, 1, false);
            assertThat(lock).isPresent();
        }
    }
}
