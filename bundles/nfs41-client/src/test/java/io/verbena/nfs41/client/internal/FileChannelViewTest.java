package io.verbena.nfs41.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.Opcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class FileChannelViewTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"SYNC", "DSYNC"})
    void shouldHaveWrittenWhenWriteReturnsWhereDataIsToBeSafeAtOnce(StandardOpenOption option) throws IOException {
        try (NfsMount mount = server.mount("");
                RemoteFile file = mount.open("/file", Set.of(StandardOpenOption.WRITE, option), 0600);
                SeekableByteChannel channel = file.channel()) {
            int before = server.seen.size();
            assertThat(channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}))).isEqualTo(3);
            assertThat(server.opcodesSince(before)).contains(Opcode.WRITE);
            assertThat(server.content).startsWith(1, 2, 3);
            assertThat(channel.position()).isEqualTo(3);
        }
    }
}
