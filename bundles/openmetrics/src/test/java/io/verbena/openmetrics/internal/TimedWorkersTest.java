package io.verbena.openmetrics.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimedWorkersTest {
    private TimedWorkers workers = new TimedWorkers(new SystemRuntime(), 1, 2, Duration.ofMinutes(1));

    @AfterEach
    void close() {
        workers.close();
    }

    @Test
    void shouldRejectMoreThanItMayHold() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(2);
        Runnable waits = () -> {
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            done.countDown();
        };
        workers.execute(waits);
        workers.execute(waits);

        assertThatThrownBy(() -> workers.execute(waits)).isInstanceOf(RejectedExecutionException.class);

        held.countDown();
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldInterruptWhatTakesTooLongAndNothingAfterIt() throws Exception {
        workers.close();
        workers = new TimedWorkers(new SystemRuntime(), 1, 2, Duration.ofSeconds(2));
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        workers.execute(() -> {
            try {
                interrupted.complete(!new CountDownLatch(1).await(30, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                interrupted.complete(true);
                Thread.currentThread().interrupt(); // as a channel leaves its thread
            }
        });
        CompletableFuture<Boolean> next = new CompletableFuture<>();
        workers.execute(() -> next.complete(Thread.currentThread().isInterrupted()));

        assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(next.get(30, TimeUnit.SECONDS)).isFalse();
    }
}
