package io.verbena.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ClosingTest {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Runtime runtime = new SystemRuntime();
    private final Closing closing = new Closing(runtime);
    private final AtomicInteger closed = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Thread first = new Thread(() -> close(() -> {
        begun.countDown();
        await(goOn);
    }));

    @AfterEach
    void end() throws Exception {
        goOn.countDown();
        first.join();
    }

    private boolean close(Runnable work) {
        return closing.run(
                () -> {
                    work.run();
                    closed.incrementAndGet();
                },
                () -> false,
                runtime.nanoTime() + BOUND_NANOS);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void begin() {
        first.start();
        await(begun);
        assertThat(closing.closer()).isSameAs(first);
    }

    /** Goes on in a thread of its own, as soon as this one waits. */
    private void goOnOnceWaiting() {
        Thread waiting = Thread.currentThread();
        new Thread(() -> {
                    while (waiting.getState() != Thread.State.TIMED_WAITING) {
                        Thread.onSpinWait();
                    }
                    goOn.countDown();
                })
                .start();
    }

    @Test
    void shouldWaitForTheThreadThatCloses() {
        begin();
        goOnOnceWaiting();
        assertThat(close(() -> {})).isTrue();
        assertThat(closed).hasValue(1);
        assertThat(closing.closer()).isNull();
    }

    @Test
    void shouldWaitOnWhenInterruptedAndTellOfIt() {
        begin();
        Thread.currentThread().interrupt();
        goOnOnceWaiting();
        assertThat(close(() -> {})).isTrue();
        assertThat(closed).hasValue(1);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void shouldNotWaitBeyondTheDeadline() {
        begin();
        assertThat(closing.run(() -> {}, () -> false, runtime.nanoTime())).isFalse();
    }

    @Test
    void shouldNotWaitForItselfNorForAThreadThatWaitsForIt() {
        assertThat(close(() -> assertThat(close(() -> {})).isTrue())).isTrue();
        assertThat(closed).hasValue(1);
        Closing other = new Closing(runtime);
        other.run(
                () -> {
                    CompletableFuture<Boolean> awaited = CompletableFuture.supplyAsync(
                            () -> other.run(() -> {}, () -> true, runtime.nanoTime() + BOUND_NANOS));
                    assertThat(awaited.join()).isTrue();
                },
                () -> false,
                runtime.nanoTime());
    }

    @Test
    void shouldBeOverThoughClosingFails() {
        assertThatThrownBy(() -> close(() -> {
                    throw new IllegalStateException("by the test");
                }))
                .hasMessage("by the test");
        assertThat(close(() -> {})).isTrue();
        assertThat(closed).hasValue(0);
    }

    @Test
    void shouldTellWhetherTheEndIsReached() throws Exception {
        ExecutorService executor = runtime.newExecutor("verbena-test", Duration.ZERO);
        executor.execute(() -> await(goOn));
        CompletableFuture<Void> future = new CompletableFuture<>();
        first.start();
        executor.shutdown();
        long now = runtime.nanoTime();
        assertThat(Closing.awaitEnd(runtime, future, now)).isFalse();
        assertThat(Closing.awaitEnd(runtime, first, now)).isFalse();
        assertThat(Closing.awaitEnd(runtime, executor, now)).isFalse();
        goOn.countDown();
        future.completeExceptionally(new IllegalStateException("by the test"));
        assertThat(Closing.awaitEnd(runtime, future, now)).isTrue();
        assertThat(Closing.awaitEnd(runtime, first, now + BOUND_NANOS)).isTrue();
        assertThat(Closing.awaitEnd(runtime, executor, now + BOUND_NANOS)).isTrue();
    }
}
