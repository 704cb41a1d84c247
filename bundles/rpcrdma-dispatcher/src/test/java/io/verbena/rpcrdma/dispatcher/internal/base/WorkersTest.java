package io.verbena.rpcrdma.dispatcher.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long the threads of the transport are waited for. */
final class WorkersTest {
    /** Threads do not end, and the wait for one takes as long as it may. */
    private static final class HungThreads extends SystemRuntime {
        final AtomicLong waited = new AtomicLong();

        @Override
        public long nanoTime() {
            return super.nanoTime() + waited.get();
        }

        @Override
        public boolean awaitEnd(Thread thread, long timeoutNanos) {
            waited.addAndGet(Math.max(0, timeoutNanos));
            return false;
        }
    }

    @Test
    @DisplayName("several threads that hang are waited for no longer than one")
    void shouldWaitForAllThreadsTogether() {
        HungThreads runtime = new HungThreads();
        Workers workers = new Workers(runtime);
        for (int i = 0; i < 3; i++) {
            assertThat(workers.run(() -> {})).isTrue();
        }
        workers.close();
        assertThat(runtime.waited).hasValueLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(10));
    }

    @Test
    @DisplayName("a program is not interrupted while it handles a call: the channel that it reads by would be closed")
    void shouldWaitForProgramsAndNotInterruptThem() {
        CountDownLatch awaited = new CountDownLatch(1);
        Workers workers = new Workers(new SystemRuntime() {
            @Override
            public boolean awaitEnd(Thread thread, long timeoutNanos) throws InterruptedException {
                awaited.countDown(); // who is interrupted is so by now
                return super.awaitEnd(thread, timeoutNanos);
            }
        });
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        assertThat(workers.handle(() -> {
                    try {
                        awaited.await();
                        isInterrupted.complete(false);
                    } catch (InterruptedException e) {
                        isInterrupted.complete(true);
                    }
                }))
                .isTrue();
        workers.close();
        assertThat(isInterrupted).isCompletedWithValue(false);
    }
}
