package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Who has a lock has it from the mount that is there. */
class ByteRangeLockingTest {
    @Test
    void shouldAskTheNextMountWhereTheOneThatGrantedALockIsGone() throws IOException {
        try (FakeServer server = new FakeServer();
                FileChannel channel = FileChannel.open(server.path(), WRITE)) {
            server.beforeLock = () -> {
                server.replace(true);
                reopen(channel);
            };
            FileLock lock = channel.tryLock();
            assertThat(lock.isValid()).isTrue();
            lock.release(); // which would fail on the mount that is gone
        }
    }

    /** It would be held by nobody. */
    @Test
    void shouldGiveBackALockThatIsGrantedWhereTheChannelWasClosed() throws IOException {
        try (FakeServer server = new FakeServer();
                FileChannel channel = FileChannel.open(server.path(), WRITE);
                FileChannel other = FileChannel.open(server.path(), WRITE)) {
            server.beforeLock = () -> close(channel);
            assertThatThrownBy(channel::tryLock).isInstanceOf(AsynchronousCloseException.class);
            assertThat(server.locks).isEmpty();
            assertThat(other.tryLock()).isNotNull();
        }
    }

    /** Within each wait the mount begins with short pauses between its requests. */
    @Test
    void shouldWaitForALockByLongerAndLongerWaits() throws IOException {
        try (FakeServer server = new FakeServer();
                FileChannel channel = FileChannel.open(server.path(), WRITE)) {
            server.denials = 6;
            assertThat(channel.lock().isValid()).isTrue();
            assertThat(server.lockWaits).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L, 16L, 16L, 16L);
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void reopen(FileChannel channel) {
        try {
            assertThat(channel.size()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
