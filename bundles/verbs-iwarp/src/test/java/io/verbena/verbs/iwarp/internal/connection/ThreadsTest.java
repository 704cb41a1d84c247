package io.verbena.verbs.iwarp.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Waiting for threads that hang, and for those that do not. */
class ThreadsTest {
    private final SystemRuntime runtime = new SystemRuntime();
    private final CountDownLatch latch = new CountDownLatch(1);
    private final Thread hanging = new Thread(
            () -> {
                try {
                    latch.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            },
            "hanging");

    @Test
    void shouldLeaveBehindWhatHangsBeyondTheDeadline() throws Exception {
        hanging.start();
        assertThat(Threads.joinUnlessCurrent(runtime, hanging, System.nanoTime() + 1))
                .isFalse();
        latch.countDown();
        assertThat(Threads.joinUnlessCurrent(runtime, hanging, Threads.endDeadline(runtime)))
                .isTrue();
        assertThat(Threads.joinUnlessCurrent(runtime, Thread.currentThread(), System.nanoTime()))
                .isTrue();
    }

    @Test
    void shouldWaitOnWhenInterruptedAndTellOfIt() throws Exception {
        hanging.start();
        Thread.currentThread().interrupt();
        latch.countDown();
        assertThat(Threads.joinUnlessCurrent(runtime, hanging, Threads.endDeadline(runtime)))
                .isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }
}
