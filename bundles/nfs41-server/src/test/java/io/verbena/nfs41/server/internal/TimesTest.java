package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TimesTest extends ServerFixture {
    private static final NfsTime ACCESSED = NfsTime.of(Instant.parse("2019-01-02T03:04:05.123456789Z"));
    private static final NfsTime MODIFIED = NfsTime.of(Instant.parse("1961-05-04T03:02:01.987654321Z"));

    private void shouldKeep(FileHandle of) throws Exception {
        Attributes times = Attributes.builder()
                .put(Attribute.TIME_ACCESS_SET, new SetTime(ACCESSED))
                .put(Attribute.TIME_MODIFY_SET, new SetTime(MODIFIED))
                .build();
        assertThat(client.setAttributes(of, times)).isEqualTo(Status.NFS4_OK);
        Attributes now = client.attributesOf(of, Attribute.TIME_ACCESS, Attribute.TIME_MODIFY);
        assertThat(now.get(Attribute.TIME_ACCESS)).isEqualTo(ACCESSED);
        assertThat(now.get(Attribute.TIME_MODIFY)).isEqualTo(MODIFIED);
    }

    @Test
    void shouldKeepNanosecondsOfFilesAndDirectories() throws Exception {
        Files.writeString(directory.resolve("file"), "x");
        Files.createDirectory(directory.resolve("dir"));
        shouldKeep(client.handle("file"));
        shouldKeep(client.handle("dir"));
        shouldKeep(client.handle());
    }

    @Test
    void shouldSetTheTimesOfALinkItself() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "x");
        FileTime untouched = Files.getLastModifiedTime(file);
        Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        Files.createSymbolicLink(directory.resolve("dangling"), Path.of("none"));
        shouldKeep(client.handle("link"));
        shouldKeep(client.handle("dangling"));
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(untouched);
    }

    @Test
    void shouldTellWhatAFileReallyOccupies() throws Exception {
        Path sparse = directory.resolve("sparse");
        try (var channel = java.nio.channels.FileChannel.open(
                sparse, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.allocate(1), (1 << 30) - 1);
        }
        Attributes of = client.attributesOf(client.handle("sparse"), Attribute.SIZE, Attribute.SPACE_USED);
        assertThat(of.get(Attribute.SIZE)).isEqualTo(1 << 30);
        assertThat(of.get(Attribute.SPACE_USED)).isLessThan(1 << 20);
    }
}
