package io.verbena.hadoop.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream that is read while the server does not answer. */
@Timeout(60)
final class NfsInputStreamTest {
    private static final long SECONDS = 10;

    private final FakeFile file = new FakeFile();
    private final CountDownLatch answer = new CountDownLatch(1);
    private final NfsInputStream in =
            new NfsInputStream(file, new Path("/file"), ReadPolicy.RANDOM, 100, null, source -> true);
    private final FutureTask<Integer> read = new FutureTask<>(in::read);

    @BeforeEach
    void beginToRead() throws Exception {
        file.answer = answer;
        new Thread(read).start();
        assertThat(file.waits.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @AfterEach
    void answer() {
        answer.countDown();
    }

    private static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void shouldBeClosedMeanwhile() throws Exception {
        FutureTask<Boolean> close = new FutureTask<>(() -> {
            in.close();
            return file.isClosed;
        });
        new Thread(close).start();
        assertThat(get(close)).isTrue();
        assertThat(read.isDone()).isFalse();
        answer.countDown();
        assertThat(get(read)).isEqualTo(-1);
        assertThatThrownBy(in::read).isInstanceOf(IOException.class).hasMessageContaining("closed");
    }

    @Test
    void shouldEndAWaitForTheReadByAnInterrupt() throws Exception {
        FutureTask<Integer> second = new FutureTask<>(in::read);
        Thread thread = new Thread(second);
        thread.start();
        thread.interrupt();
        assertThatThrownBy(() -> get(second))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedIOException.class);
        assertThat(read.isDone()).isFalse();
        answer.countDown();
        assertThat(get(read)).isEqualTo(-1);
    }
}
