package io.verbena.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SideBySideTest {
    private static final int STEPS = 5;
    private static final long SECONDS = 30;

    private final SystemRuntime runtime = new SystemRuntime();

    @AfterEach
    void close() {
        runtime.close();
    }

    @Test
    void shouldRunAllStepsAtTheSameTime() {
        CyclicBarrier together = new CyclicBarrier(STEPS);
        SideBySide.Step step = () -> {
            int unused = together.await(SECONDS, TimeUnit.SECONDS);
        };
        assertThat(SideBySide.run(runtime, "step", Collections.nCopies(STEPS, step)))
                .isEmpty();
    }

    @Test
    void shouldRunNothing() {
        assertThat(SideBySide.run(runtime, "step", List.of())).isEmpty();
    }

    @Test
    void shouldRunASingleStepOnTheCallingThread() {
        Thread here = Thread.currentThread();
        assertThat(SideBySide.run(runtime, "step", List.of(() -> assertThat(Thread.currentThread())
                        .isSameAs(here))))
                .isEmpty();
    }

    @Test
    void shouldTellWhatStepsHaveThrownOnceAllHaveEnded() {
        Exception first = new Exception("first");
        Error last = new Error("last");
        CountDownLatch ran = new CountDownLatch(1);
        List<SideBySide.Step> steps = List.of(
                () -> {
                    throw first;
                },
                ran::countDown,
                () -> {
                    throw last;
                });
        assertThat(SideBySide.run(runtime, "step", steps)).containsExactly(first, last);
        assertThat(ran.getCount()).isZero();
    }

    @Test
    void shouldInterruptTheStepsWhereTheCallerIsInterrupted() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        SideBySide.Step step = never::await;
        FutureTask<List<Throwable>> call = new FutureTask<>(() -> {
            List<Throwable> thrown = SideBySide.run(runtime, "step", List.of(step, step));
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return thrown;
        });
        Thread caller = new Thread(call);
        caller.start();
        caller.interrupt();
        assertThat(call.get(SECONDS, TimeUnit.SECONDS)).hasSize(2).allSatisfy(thrown -> assertThat(thrown)
                .isInstanceOf(InterruptedException.class));
    }
}
