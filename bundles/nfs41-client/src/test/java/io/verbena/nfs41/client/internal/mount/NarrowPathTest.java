package io.verbena.nfs41.client.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileRead;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
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
}
