package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.UndecidedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files that are made while their mount is replaced. */
@Timeout(60)
class OpenFileTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    @Test
    void shouldNotTakeItsOwnNewFileForAnothers() throws IOException {
        server.afterOpen = () -> server.replace(true);
        try (FileChannel channel = FileChannel.open(server.path(), WRITE, CREATE_NEW)) {
            assertThat(channel.write(ByteBuffer.wrap("x".getBytes(StandardCharsets.US_ASCII))))
                    .isEqualTo(1);
        }
        assertThat(server.content()).isEqualTo("x");
        assertThat(server.opens()).isEqualTo(2);
    }

    @Test
    void shouldSayThatANewFileMayBeItsOwnWhereNobodyKnows() {
        server.beforeOpenIsAnswered = () -> server.replace(true);
        assertThatThrownBy(() -> FileChannel.open(server.path(), WRITE, CREATE_NEW))
                .isInstanceOf(UndecidedException.class)
                .hasMessageContaining("/f")
                .hasMessageContaining("not known");
    }

    @Test
    void shouldSayNothingOfTheKindWhereTheFileWasThere() throws IOException {
        FileChannel.open(server.path(), WRITE, CREATE_NEW).close();
        assertThatThrownBy(() -> FileChannel.open(server.path(), WRITE, CREATE_NEW))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageNotContaining("replaced");
    }

    /** Nobody else closes it. */
    @Test
    void shouldCloseTheFileThatIsOpenedAgainWhereTheChannelIsClosedMeanwhile() throws IOException {
        FileChannel channel = FileChannel.open(server.path(), WRITE, CREATE_NEW);
        server.replace(true);
        server.beforeOpenIsAnswered = () -> {
            try {
                channel.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        };
        assertThatThrownBy(channel::size).isInstanceOf(AsynchronousCloseException.class);
        assertThat(server.open).isEmpty();
    }

    /** A thread that waits for a lock could not be interrupted. */
    @Test
    void shouldHoldNoLockWhileTheFileIsOpenedAgain() throws Exception {
        CountDownLatch reopens = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        FutureTask<Long> first;
        FutureTask<Long> second;
        try (FileChannel channel = FileChannel.open(server.path(), WRITE, CREATE_NEW)) {
            server.replace(true);
            server.beforeOpenIsAnswered = () -> {
                reopens.countDown();
                try {
                    answers.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            };
            first = new FutureTask<>(channel::size);
            second = new FutureTask<>(channel::size);
            new Thread(first, "opens again").start();
            reopens.await();
            Thread waits = new Thread(second, "waits");
            waits.start();
            while (waits.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            assertThat(waits.getState()).isIn(Thread.State.WAITING, Thread.State.TIMED_WAITING);
            answers.countDown();
            assertThat(first.get()).isZero();
            assertThat(second.get()).isZero();
        }
    }
}
