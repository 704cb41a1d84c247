package io.verbena.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SystemRuntimeTest {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Runtime runtime = new SystemRuntime();

    @Test
    void shouldNameThreadsAndMakeThemDaemons() {
        ThreadFactory threads = runtime.threads("verbena-test");

        Thread first = threads.newThread(() -> {});
        Thread second = threads.newThread(() -> {});

        assertThat(List.of(first.getName(), second.getName())).containsExactly("verbena-test-1", "verbena-test-2");
        assertThat(first.isDaemon()).isTrue();
        assertThat(first.getState()).isEqualTo(Thread.State.NEW);
    }

    @Test
    void shouldWaitForTheEndOfAThread() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Thread thread = runtime.threads("verbena-test").newThread(() -> await(release));
        thread.start();

        assertThat(runtime.awaitEnd(thread, 1)).isFalse();
        release.countDown();

        assertThat(runtime.awaitEnd(thread, BOUND_NANOS)).isTrue();
    }

    @Test
    void shouldRunATaskThatIsDueWhileAnotherOneBlocks() throws Exception {
        ScheduledExecutorService scheduler = runtime.newScheduler("verbena-test", 2);
        CountDownLatch release = new CountDownLatch(1);
        try {
            Future<?> blocked = scheduler.submit(() -> await(release));
            Future<?> due = scheduler.schedule(release::countDown, 1, TimeUnit.MILLISECONDS);

            runtime.await(due, BOUND_NANOS);
            runtime.await(blocked, BOUND_NANOS);
        } finally {
            scheduler.shutdownNow();
        }
        assertThat(runtime.awaitEnd(scheduler, BOUND_NANOS)).isTrue();
    }

    @Test
    void shouldPauseAtLeastSoLong() throws Exception {
        long start = runtime.nanoTime();
        runtime.sleep(1_000_000);

        assertThat(runtime.nanoTime() - start).isGreaterThanOrEqualTo(1_000_000);
    }

    @Test
    void shouldEndAPauseThatIsInterrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> runtime.sleep(BOUND_NANOS)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void shouldGiveTheResultOfAFuture() throws Exception {
        assertThat(runtime.await(CompletableFuture.completedFuture("done"), 0)).isEqualTo("done");
        assertThatThrownBy(() -> runtime.await(CompletableFuture.failedFuture(new IllegalStateException("no")), 0))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("no");
    }

    @Test
    void shouldLeaveAFutureAsItIsAtTheTimeout() {
        CompletableFuture<String> future = new CompletableFuture<>();

        assertThatThrownBy(() -> runtime.await(future, 1)).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> runtime.await(future, -1)).isInstanceOf(TimeoutException.class);

        assertThat(future).isNotDone();
    }

    @Test
    void shouldEndAWaitByAnInterruption() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> runtime.await(new CompletableFuture<>(), BOUND_NANOS))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    /** Tasks that wait for each other end only if all of them have a thread. */
    @Test
    void shouldHaveAThreadForEachTask() throws Exception {
        ExecutorService executor = runtime.newExecutor("verbena-test", Duration.ZERO);
        CountDownLatch all = new CountDownLatch(8);
        for (int i = 0; i < 8; i++) {
            executor.execute(() -> {
                all.countDown();
                await(all);
            });
        }
        executor.shutdown();

        assertThat(runtime.awaitEnd(executor, BOUND_NANOS)).isTrue();
    }

    @Test
    void shouldHaveNoMoreThreadsThanAskedFor() throws Exception {
        ExecutorService executor = runtime.newExecutor("verbena-test", 2, Duration.ofSeconds(1));
        Set<String> names = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 100; i++) {
            executor.execute(() -> names.add(Thread.currentThread().getName()));
        }
        executor.shutdown();

        assertThat(runtime.awaitEnd(executor, BOUND_NANOS)).isTrue();
        assertThat(names).isSubsetOf("verbena-test-1", "verbena-test-2").isNotEmpty();
    }

    @Test
    void shouldDropWhatIsScheduledAtTheEnd() throws Exception {
        ScheduledExecutorService scheduler = runtime.newScheduler("verbena-test", 1);
        Future<?> never = scheduler.schedule(() -> {}, 1, TimeUnit.DAYS);

        scheduler.shutdown();

        assertThat(runtime.awaitEnd(scheduler, BOUND_NANOS)).isTrue();
        assertThat(never.isCancelled()).isTrue();
    }

    /** The executors of the JDK are terminated a moment before their threads have ended. */
    @Test
    void shouldLeaveNoThreadBehindAnExecutorThatHasEnded() throws Exception {
        for (int i = 0; i < 2000; i++) {
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            ExecutorService executor = runtime.newExecutor("verbena-test", Duration.ofSeconds(1));
            ScheduledExecutorService scheduler = runtime.newScheduler("verbena-test", 1);
            executor.execute(() -> threads.add(Thread.currentThread()));
            scheduler.execute(() -> threads.add(Thread.currentThread()));
            executor.shutdown();
            scheduler.shutdown();

            assertThat(runtime.awaitEnd(executor, BOUND_NANOS)).isTrue();
            assertThat(runtime.awaitEnd(scheduler, BOUND_NANOS)).isTrue();
            assertThat(threads).hasSize(2).noneMatch(Thread::isAlive);
        }
    }

    @Test
    void shouldNotLetAThreadWaitForItself() throws Exception {
        ScheduledExecutorService scheduler = runtime.newScheduler("verbena-test", 1);
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        scheduler.execute(() -> {
            scheduler.shutdown();
            try {
                answer.complete(runtime.awaitEnd(scheduler, Long.MAX_VALUE));
            } catch (InterruptedException e) {
                answer.completeExceptionally(e);
            }
        });

        assertThat(runtime.await(answer, BOUND_NANOS)).isFalse();
        assertThat(runtime.awaitEnd(scheduler, BOUND_NANOS)).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
