package io.verbena.rpcrdma.dispatcher.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.runtime.SystemRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Waiting for a state, and being woken. */
class StateSignalTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final SystemRuntime runtime = new SystemRuntime();
    private final StateSignal signal = new StateSignal(runtime);
    private final AtomicInteger state = new AtomicInteger();

    private boolean await(int wanted, long nanos) {
        try {
            return signal.await(() -> state.get() >= wanted, runtime.nanoTime() + nanos);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldWakeEachThreadAtItsState() {
        List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int wanted = i;
            waiting.add(
                    CompletableFuture.supplyAsync(() -> await(wanted, LONG_NANOS), task -> new Thread(task).start()));
        }
        for (CompletableFuture<Boolean> each : waiting) {
            assertThat(each).isNotDone();
            state.incrementAndGet();
            signal.signalAll();
            assertThat(each).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(true);
        }
    }

    @Test
    void shouldMissNoChange() {
        int changes = 20_000;
        CompletableFuture<Void> changing = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < changes; i++) {
                state.incrementAndGet();
                signal.signalAll();
            }
        });
        for (int i = 1; i <= changes; i++) {
            assertThat(await(i, LONG_NANOS)).isTrue();
        }
        assertThat(changing).succeedsWithin(10, TimeUnit.SECONDS);
    }

    @Test
    void shouldEndAtTheDeadline() {
        assertThat(await(0, -1)).isTrue();
        assertThat(await(1, -1)).isFalse();
        assertThat(await(1, TimeUnit.MILLISECONDS.toNanos(5))).isFalse();
    }

    @Test
    void shouldEndWhenInterrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> signal.await(() -> false, runtime.nanoTime() + LONG_NANOS))
                .isInstanceOf(InterruptedException.class);
    }
}
