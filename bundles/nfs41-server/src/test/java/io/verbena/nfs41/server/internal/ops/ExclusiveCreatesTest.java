package io.verbena.nfs41.server.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.vfs.Inode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExclusiveCreatesTest {
    @TempDir
    Path directory;

    private boolean isFull;
    private boolean isUnopenable;

    /** Has room for seven octets more while the disk is full. */
    private final class Disk implements WritableByteChannel {
        private final FileChannel file;

        Disk(FileChannel file) {
            this.file = file;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (!isFull) {
                return file.write(source);
            }
            if (source.remaining() <= 17) {
                throw new IOException("No space left on device");
            }
            int written = file.write(source.slice(source.position(), 7));
            source.position(source.position() + written);
            return written;
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private Disk open(Path file) throws IOException {
        if (isUnopenable) {
            throw new IOException("Too many open files");
        }
        return new Disk(FileChannel.open(file, StandardOpenOption.APPEND));
    }

    private static Inode inode(long number) {
        return Inode.of(number, 1);
    }

    @Test
    void shouldReadEveryRecordAfterOneThatWasWrittenInPart() throws Exception {
        Path file = directory.resolve("kept");
        try (ExclusiveCreates creates = new ExclusiveCreates(file, this::open)) {
            creates.made(inode(1), 11);
            isFull = true;
            creates.made(inode(2), 12);
            assertThat(file).hasSize(24 + 7);
            isFull = false;
            creates.made(inode(3), 13);
            creates.made(inode(4), 14);
        }

        assertThat(file).hasSize(4 * 24);
        try (ExclusiveCreates again = new ExclusiveCreates(file)) {
            for (long number = 1; number <= 4; number++) {
                assertThat(again.isMadeBy(inode(number), 10 + number)).isTrue();
            }
        }
    }

    @Test
    void shouldOpenTheFileAgainWhereThatHasFailedOnce() throws Exception {
        Path file = directory.resolve("kept");
        try (ExclusiveCreates creates = new ExclusiveCreates(file, this::open)) {
            isFull = true;
            creates.made(inode(1), 11);
            isUnopenable = true;
            creates.made(inode(2), 12);
            isFull = false;
            isUnopenable = false;
            creates.made(inode(3), 13);
        }

        try (ExclusiveCreates again = new ExclusiveCreates(file)) {
            for (long number = 1; number <= 3; number++) {
                assertThat(again.isMadeBy(inode(number), 10 + number)).isTrue();
            }
        }
    }

    @Test
    void shouldWriteNothingAfterTheEnd() throws Exception {
        Path file = directory.resolve("kept");
        ExclusiveCreates creates = new ExclusiveCreates(file, this::open);
        creates.close();

        creates.made(inode(1), 11);

        assertThat(Files.size(file)).isZero();
    }
}
