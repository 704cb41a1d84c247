package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was written under a lock is not written again over what the next holder of the lock has written. */
@Timeout(60)
class LockedWritesTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private FileChannel writer() throws IOException {
        return FileChannel.open(server.path(), WRITE);
    }

    private static void write(FileChannel channel) throws IOException {
        int unused = channel.write(ByteBuffer.wrap("aaaa".getBytes(StandardCharsets.US_ASCII)));
    }

    /** Another client writes under the lock. */
    private void lockElsewhere() {
        server.put("ZZZZ");
    }

    private void shouldTellThatItsWriteIsLost(FileChannel channel) {
        assertThatThrownBy(channel::close).isInstanceOf(IOException.class).hasStackTraceContaining("was replaced");
        assertThat(server.content()).isEqualTo("ZZZZ");
    }

    @Test
    void shouldWriteNothingAgainBehindALockThatHasGoneWithItsMount() throws IOException {
        FileChannel channel = writer();
        FileLock lock = channel.lock();
        write(channel);
        server.replace(false);
        assertThatThrownBy(lock::release).isInstanceOf(MountReplacedException.class);
        lockElsewhere();
        shouldTellThatItsWriteIsLost(channel);
    }

    @Test
    void shouldForgetWhatTheReleaseHasBroughtToStableStorage() throws IOException {
        try (FileChannel channel = writer()) {
            FileLock lock = channel.lock();
            write(channel);
            lock.release();
            lockElsewhere();
            server.replace(false);
            assertThat(channel.size()).isEqualTo(4);
        }
        assertThat(server.content()).isEqualTo("ZZZZ");
    }

    @Test
    void shouldWriteNothingAgainThatTheReleaseCouldNotBringToStableStorage() throws IOException {
        FileChannel channel = writer();
        FileLock lock = channel.lock();
        write(channel);
        server.unlockFailure = new IOException("no space left");
        assertThatThrownBy(lock::release).hasMessageContaining("no space left");
        lockElsewhere();
        server.replace(false);
        shouldTellThatItsWriteIsLost(channel);
    }

    @Test
    void shouldWriteNothingAgainWhereAnotherChannelHadTheLock() throws IOException {
        try (FileChannel locked = writer()) {
            FileChannel channel = writer();
            assertThat(locked.lock().isValid()).isTrue();
            write(channel);
            server.replace(false);
            lockElsewhere();
            shouldTellThatItsWriteIsLost(channel);
        }
    }

    @Test
    void shouldWriteNothingAgainWhereAnotherChannelHasReleasedTheLock() throws IOException {
        try (FileChannel locked = writer()) {
            FileChannel channel = writer();
            FileLock lock = locked.lock();
            write(channel);
            lock.release();
            lockElsewhere();
            server.replace(false);
            shouldTellThatItsWriteIsLost(channel);
        }
    }

    @Test
    void shouldWriteNothingAgainWhereAnotherChannelWasClosedWithTheLock() throws IOException {
        FileChannel channel = writer();
        try (FileChannel locked = writer()) {
            assertThat(locked.lock().isValid()).isTrue();
            write(channel);
        }
        lockElsewhere();
        server.replace(false);
        shouldTellThatItsWriteIsLost(channel);
    }

    @Test
    void shouldWriteAgainWhatCameBehindTheLock() throws IOException {
        try (FileChannel channel = writer()) {
            channel.lock().release();
            write(channel);
            server.replace(false);
        }
        assertThat(server.content()).isEqualTo("aaaa");
    }

    /** Nobody writes under it. */
    @Test
    void shouldWriteAgainWhereALockWasShared() throws IOException {
        try (FileChannel channel = writer();
                FileChannel locked = FileChannel.open(server.path(), READ)) {
            FileLock lock = locked.lock(0, 10, true);
            write(channel);
            lock.release();
            server.replace(false);
        }
        assertThat(server.content()).isEqualTo("aaaa");
    }
}
