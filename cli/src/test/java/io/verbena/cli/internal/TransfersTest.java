package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.cli.ExitStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TransfersTest {
    private final Transfers transfers = new Transfers();

    @Test
    void shouldInterruptWhatRunsAndWaitUntilItHasTidiedUp() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Exception> tidied = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                transfers.run(() -> {
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await(); // waits for ever without an interrupt
                        return null;
                    } catch (InterruptedException e) {
                        tidied.complete(e);
                        throw e;
                    }
                });
            } catch (Exception e) {
                tidied.complete(e); // no effect if the call has ended as expected
            }
        });
        thread.setDaemon(true);
        thread.start();
        begun.await();

        transfers.end("stopped", 20, TimeUnit.SECONDS);

        assertThat(tidied).isCompletedWithValueMatching(InterruptedException.class::isInstance);
        thread.join();
    }

    @Test
    void shouldWaitNoLongerThanItIsTold() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Object> ended = CompletableFuture.supplyAsync(() -> {
            try {
                return transfers.run(() -> {
                    begun.countDown();
                    while (end.getCount() > 0) {
                        Thread.onSpinWait(); // ignores interrupts
                    }
                    return "ended";
                });
            } catch (Exception e) {
                return e;
            }
        });
        begun.await();

        transfers.end("stopped", 1, TimeUnit.MILLISECONDS);

        assertThat(ended).isNotDone();
        end.countDown();
        assertThat(ended.get()).isEqualTo("ended");
    }

    @Test
    void shouldBeginNothingAfterTheEnd() throws Exception {
        assertThat(transfers.<String>run(() -> "before")).isEqualTo("before");
        transfers.end("stopped", 20, TimeUnit.SECONDS);
        assertThatThrownBy(() -> transfers.run(() -> "after"))
                .hasMessage("stopped")
                .matches(failure -> ExitStatus.of(failure) == ExitStatus.INTERRUPTED);
    }
}
