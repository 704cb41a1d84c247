package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.internal.DirectMemory;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileRead;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.testing.ManualClock;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A path to the server that loses the connection with each large request or reply, and carries small ones. */
@Timeout(120)
class NarrowPathTest {
    private static final int CARRIED = 20_000;
    private static final int LENGTH = 300_000;
    private static final Set<StandardOpenOption> BOTH = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final FakeServer server = new FakeServer();
    private final byte[] content = new byte[LENGTH];

    {
        new Random(1).nextBytes(content);
    }

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"hard", "soft"})
    void shouldWriteByWhatThePathCarries(String kind) throws Exception {
        try (NfsMount mount = server.mount(kind);
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            server.carries = CARRIED;
            file.write(ByteBuffer.wrap(content), 0);
            file.sync();
            assertThat(Arrays.copyOf(server.content, LENGTH)).isEqualTo(content);
            assertThat(mount.settings().get("transferLimit")).startsWith("16384 octets");
            assertThat(mount.settings()).containsEntry("wsize", "16384");
            int cut = server.cut.get();
            file.write(ByteBuffer.wrap(content), 0);
            file.sync();
            assertThat(server.cut).as("no further large requests").hasValue(cut);
        }
    }

    @Test
    void shouldReadByWhatThePathCarries() throws Exception {
        System.arraycopy(content, 0, server.content, 0, LENGTH);
        server.size = LENGTH;
        try (NfsMount mount = server.mount("hard");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            server.carries = CARRIED;
            ByteBuffer found = ByteBuffer.allocate(LENGTH);
            assertThat(file.read(found, 0)).isEqualTo(LENGTH);
            assertThat(found.array()).isEqualTo(content);
            assertThat(mount.settings()).containsEntry("rsize", "16384");
        }
    }

    @Test
    void shouldReadAWholeFileByWhatThePathCarries() throws Exception {
        System.arraycopy(content, 0, server.content, 0, LENGTH);
        server.size = 50_000;
        try (NfsMount mount = server.mount("hard")) {
            server.carries = CARRIED;
            ByteBuffer found = ByteBuffer.allocate(50_000);
            FileRead read = mount.readFileAsync("/file", found).get(60, TimeUnit.SECONDS);
            assertThat(read.octets()).isEqualTo(50_000);
            assertThat(found.array()).isEqualTo(Arrays.copyOf(content, 50_000));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hard", "soft"})
    void shouldCreateAWholeFileByWhatThePathCarries(String kind) throws Exception {
        byte[] whole = Arrays.copyOf(content, 50_000);
        try (NfsMount mount = server.mount(kind)) {
            server.carries = CARRIED;
            mount.createFileAsync("/file", ByteBuffer.wrap(whole), AttributeChanges.NONE)
                    .get(60, TimeUnit.SECONDS);
            assertThat(Arrays.copyOf(server.content, server.size)).isEqualTo(whole);
            assertThat(server.executed(Opcode.OPEN)).isEqualTo(1);
        }
    }

    @Test
    void shouldGoOnInTheSameSession() throws Exception {
        try (NfsMount mount = server.mount("hard");
                RemoteFile file = mount.open("/file", BOTH, 0600)) {
            server.carries = CARRIED;
            file.write(ByteBuffer.wrap(content), 0);
            assertThat(server.opcodesSince(0)).containsOnlyOnce(Opcode.CREATE_SESSION);
            assertThat(mount.statistics().slotsInUse()).isZero();
        }
    }

    /** A soft mount promises an end for the whole read or write, not for each size that it tries. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTakeOneTimeForAllSizesThatItTries(boolean reads) throws Exception {
        server.size = LENGTH;
        try (ManualClock clock = new ManualClock(1_000);
                NfsMount mount = NfsMount.create(
                        "m", "127.0.0.1", "/", "soft,timeo=10,retrans=1", server, new DirectMemory(), clock)) {
            mount.connect(Duration.ofSeconds(20));
            RemoteFile file = mount.open("/file", BOTH, 0600);
            server.carries = CARRIED;
            server.onRequest = () -> clock.pass(Duration.ofMillis(300));
            assertThatThrownBy(() -> {
                        ByteBuffer moved = ByteBuffer.allocateDirect(60_000);
                        if (reads) {
                            file.read(moved, 0);
                        } else {
                            file.write(moved, 0);
                            file.sync();
                        }
                    })
                    .isInstanceOf(ServerUnavailableException.class);
            server.onRequest = () -> {};
        }
    }
}
