package io.verbena.hadoop.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NfsOutputStreamTest {
    private static final byte[] RECORD = "a record".getBytes(StandardCharsets.US_ASCII);

    private static final long SECONDS = 10;

    private final FakeFile file = new FakeFile();
    private final NfsOutputStream out =
            new NfsOutputStream(file, new Path("/file"), null, source -> true, closed -> {});
    private Thread thread;

    @Test
    void shouldTellAtTheFlushThatAWriteHasFailed() throws Exception {
        file.failureOfSync = new IOException("no space left"); // of a WRITE: the attributes do not tell of it
        out.write(RECORD);

        assertThatThrownBy(out::hflush).hasMessage("no space left");

        assertThatThrownBy(out::hflush).hasMessageContaining("no space left");
        assertThatThrownBy(out::hsync).hasMessageContaining("no space left");
        assertThatThrownBy(out::flush).hasMessageContaining("no space left");
        assertThatThrownBy(() -> out.write(1)).hasMessageContaining("no space left");
        assertThatThrownBy(out::close).hasMessageContaining("no space left");
        assertThat(file.isClosed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFailUntilItIsClosedWhereOctetsWereNotTaken(boolean isInterrupt) throws Exception {
        file.failureOfWrite =
                isInterrupt ? new InterruptedIOException("interrupted") : new IllegalStateException("interrupted");
        out.write(RECORD);
        assertThatThrownBy(out::hflush).hasMessage("interrupted");

        assertThatThrownBy(out::hflush).hasMessageContaining("interrupted");
        assertThatThrownBy(() -> out.write(RECORD)).hasMessageContaining("interrupted");
        assertThatThrownBy(out::close).isInstanceOf(IOException.class).hasMessageContaining("interrupted");

        assertThat(file.content.size()).isZero();
        assertThat(file.isClosed).isTrue();
        out.close();
    }

    @Test
    void shouldFailAfterALargeWriteThatFailed() {
        file.failureOfWrite = new InterruptedIOException("interrupted");
        assertThatThrownBy(() -> out.write(new byte[1 << 20])).hasMessage("interrupted");

        assertThatThrownBy(out::close).hasMessageContaining("interrupted");
    }

    @Test
    void shouldTellTheFailureOfAWriteAndThatOfTheCloseOfTheSameBlock() {
        file.failureOfWrite = new IOException("no space left");

        assertThatThrownBy(() -> {
                    try (out) {
                        out.write(RECORD);
                        out.hflush();
                    }
                })
                .hasMessage("no space left")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
    }

    /** A sync goes on, which the server does not answer. */
    private FutureTask<Void> beginToSync(CountDownLatch answer) throws Exception {
        file.answer = answer;
        FutureTask<Void> sync = started(out::hsync);
        assertThat(file.waits.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        return sync;
    }

    private interface Call {
        void make() throws Exception;
    }

    private FutureTask<Void> started(Call call) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            call.make();
            return null;
        });
        thread = new Thread(task);
        thread.start();
        return task;
    }

    private Throwable interrupted(FutureTask<Void> call) {
        thread.interrupt();
        return catchThrowable(() -> call.get(SECONDS, TimeUnit.SECONDS)).getCause();
    }

    @Test
    @Timeout(60)
    void shouldEndAWriteByAnInterruptThatWaitsForASyncAndTellOfTheOctetsThatAreMissing() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        FutureTask<Void> sync = beginToSync(answer);
        assertThat(interrupted(started(() -> out.write(RECORD)))).isInstanceOf(InterruptedIOException.class);
        assertThat(sync.isDone()).isFalse();
        answer.countDown();
        assertThat(sync.get(SECONDS, TimeUnit.SECONDS)).isNull();
        assertThatThrownBy(out::close).hasMessageContaining("interrupted");
        assertThat(file.isClosed).isTrue();
    }

    @Test
    @Timeout(60)
    void shouldEndACloseByAnInterruptThatWaitsForASync() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        FutureTask<Void> sync = beginToSync(answer);
        assertThat(interrupted(started(out::close))).isInstanceOf(InterruptedIOException.class);
        assertThat(file.isClosed).isTrue();
        assertThat(sync.isDone()).isFalse();
        answer.countDown();
        assertThat(sync.get(SECONDS, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void shouldGoOnAfterAnInterruptOfTheSyncAlone() throws Exception {
        file.failureOfSync = new InterruptedIOException("interrupted");
        out.write(RECORD);
        assertThatThrownBy(out::hflush).isInstanceOf(InterruptedIOException.class);

        out.hflush();
        out.close();

        assertThat(file.content.toByteArray()).isEqualTo(RECORD);
    }
}
