package io.verbena.nfs41.client.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountState;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.rpc.LocalResourceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that goes silent: what a mount's users wait for, and how often. */
@Timeout(60)
class SilentServerTest {
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldNotWaitAnewForEachStepThatFollowsTheFailure() throws IOException {
        try (NfsMount mount = server.mount("soft,timeo=10,retrans=1,slots=64")) {
            RemoteFile file = mount.open("/file", WRITE, 0600);
            server.silent = true;
            assertThatThrownBy(() -> {
                        file.write(ByteBuffer.allocate(100), 0);
                        file.sync();
                    })
                    .isInstanceOf(ServerUnavailableException.class);
            assertThatThrownBy(file::close).isInstanceOf(ServerUnavailableException.class);
            // the mount's probe is over with that at the latest: what comes fails at once
            assertThatThrownBy(() -> mount.remove("/file"))
                    .isInstanceOf(ServerUnavailableException.class)
                    .hasMessageMatching("server 127\\.0\\.0\\.1 has not answered anything for \\d+ s, longer than this"
                            + " soft mount waits \\(2 s\\); the request was not sent");
            assertThat(mount.unresponsiveServer()).isPresent();
            server.silent = false;
        }
    }

    /** The walk of a path waits for a session before it sends anything. */
    @Test
    void shouldProbeForASessionTooAfterThePatience() throws Exception {
        try (NfsMount mount = server.mount("soft,timeo=2,retrans=19")) {
            server.failNext(Opcode.SEQUENCE, Status.NFS4ERR_BADSESSION);
            server.onRequest = () -> server.silent = true; // from CREATE_SESSION on
            assertThatThrownBy(() -> mount.attributes("/file", true)).isInstanceOf(ServerUnavailableException.class);
            // the next operation has another session made
            assertThat(mount.assembly().sessions().session()).failsWithin(Duration.ofSeconds(20));
            assertThat(mount.state()).isEqualTo(MountState.FAILED);
            assertThatThrownBy(() -> mount.remove("/file"))
                    .isInstanceOf(ServerUnavailableException.class)
                    .hasMessageMatching("server 127\\.0\\.0\\.1 has not answered anything for \\d+ s, longer than this"
                            + " soft mount waits \\(4 s\\); the request was not sent");
            server.onRequest = () -> {};
            server.silent = false;
        }
    }

    @Test
    void shouldGoOnAsSoonAsTheServerIsBack() throws Exception {
        try (NfsMount mount = server.mount("soft,timeo=2,retrans=0,slots=64")) {
            server.silent = true;
            assertThatThrownBy(() -> mount.attributes("/file", true)).isInstanceOf(ServerUnavailableException.class);
            server.silent = false;
            while (mount.unresponsiveServer().isPresent()) { // until the mount's own probes of the slot are answered
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat(mount.attributes("/file", true).isRegularFile()).isTrue();
        }
    }

    @Test
    void shouldTellOfMemoryThatThisHostLacksNotOfTheServer() throws IOException {
        try (NfsMount mount = server.mount("soft,timeo=2,retrans=0")) {
            for (int i = 0; i < 100; i++) {
                server.loseNextReply(new LocalResourceException("no direct memory", null, false));
            }
            assertThatThrownBy(() -> mount.attributes("/file", true))
                    .isInstanceOf(ServerUnavailableException.class)
                    .hasMessage("no direct memory");
            assertThat(mount.unresponsiveServer()).isEmpty();
        }
    }

    @Test
    void shouldGoOnWithoutAnEndOnAHardMount() throws Exception {
        try (NfsMount mount = server.mount("hard,timeo=1,retrans=0")) {
            server.silent = true;
            int before = server.calls.get();
            CompletableFuture<?> asked = mount.attributesAsync("/file");
            while (server.calls.get() < before + 4) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat(asked).isNotDone();
            assertThat(mount.unresponsiveServer().orElseThrow().givesUp()).isEmpty();
            server.silent = false;
            asked.get(20, TimeUnit.SECONDS);
            assertThat(mount.unresponsiveServer()).isEmpty();
        }
    }

    @Test
    void shouldEndAMountWhoseServerIsSilent() throws Exception {
        NfsMount mount = server.mount("hard");
        mount.open("/file", WRITE, 0600).write(ByteBuffer.allocate(100), 0);
        server.silent = true;
        CompletableFuture<?> asked = mount.attributesAsync("/file");
        mount.end(MountLifetime.End.UNMOUNTED, Duration.ofMillis(200));
        assertThatThrownBy(() -> asked.get(20, TimeUnit.SECONDS)).hasMessageContaining("has been unmounted");
    }

    @Test
    void shouldEndWhereTheServerLosesEachSessionOnASoftMount() throws IOException {
        try (NfsMount mount = server.mount("soft,timeo=1,retrans=1")) {
            server.mostOperations = 4; // enough to make a session and to find the root
            assertThatThrownBy(() -> mount.attributes("/file", true)).hasMessageContaining("NFS4ERR_BADSESSION");
            // each session costs a pause, longer each time: else there would be thousands
            assertThat(server.executed(Opcode.CREATE_SESSION)).isLessThan(20);
        }
    }
}
