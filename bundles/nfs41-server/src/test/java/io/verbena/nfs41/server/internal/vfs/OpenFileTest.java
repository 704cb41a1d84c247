package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs41.server.internal.file.CountedChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenFileTest {
    @TempDir
    private Path temporary;

    private final Inode inode = Inode.of(2, 1);

    /** A part of a write or of a new size may be on the disk: clients have to see another change attribute. */
    @Test
    void shouldCountAsChangedWhereAChangeHasFailed() throws IOException {
        FileChannel disk = FileChannel.open(
                temporary.resolve("file"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        FileChannel full = new CountedChannel(disk, called -> {
            if (!called.equals("size")) {
                throw new UncheckedIOException(new IOException("No space left on device"));
            }
        });
        OpenFile file = new OpenFile(inode, full, true);

        assertThatThrownBy(() -> file.write(ByteBuffer.allocate(10), 0)).hasMessageContaining("No space");
        assertThat(inode.changes()).isEqualTo(1);
        assertThatThrownBy(() -> file.setSize(100)).hasMessageContaining("No space");
        assertThat(inode.changes()).isEqualTo(2);
        file.close();
    }
}
