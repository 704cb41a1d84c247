package io.verbena.nfs41.client.internal.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.runtime.SystemRuntime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MountWorkerTest {
    private final SystemRuntime runtime = new SystemRuntime();

    @Test
    void shouldRunTasksThatAreDueOnThreadsOfItsOwn() throws Exception {
        MountWorker worker = new MountWorker(runtime, "mount");
        CompletableFuture<String> ran = new CompletableFuture<>();
        Future<?> task =
                worker.schedule(() -> ran.complete(Thread.currentThread().getName()), 1, TimeUnit.MILLISECONDS);
        assertThat(ran.get(30, TimeUnit.SECONDS)).startsWith("mount-");
        task.get(30, TimeUnit.SECONDS);
        worker.shutdownNow();
        assertThat(worker.awaitEnd(TimeUnit.SECONDS.toNanos(30))).isTrue();
    }

    @Test
    void shouldRunATaskThatIsDueBesideOthersThatBlock() throws Exception {
        MountWorker worker = new MountWorker(runtime, "mount");
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            worker.execute(() -> awaitQuietly(end));
        }
        Future<?> task = worker.schedule(ran::countDown, 1, TimeUnit.MILLISECONDS);
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(task).isNotNull();
        end.countDown();
        worker.shutdownNow();
        assertThat(worker.awaitEnd(TimeUnit.SECONDS.toNanos(30))).isTrue();
    }

    private static void awaitQuietly(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldDropWhatWaitsAndRefuseWhatComesWhenTheMountHasEnded() {
        MountWorker worker = new MountWorker(runtime, "mount");
        Future<?> waits = worker.schedule(() -> {}, 1, TimeUnit.HOURS);
        worker.shutdownNow();
        assertThat(waits.isCancelled()).isTrue();
        assertThatThrownBy(() -> worker.schedule(() -> {}, 1, TimeUnit.HOURS))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> worker.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shouldTryAgainWhereNoThreadCouldBeMade() throws Exception {
        AtomicInteger refusals = new AtomicInteger(2);
        MountWorker worker = new MountWorker(
                new SystemRuntime() {
                    @Override
                    public ExecutorService newExecutor(String prefix, int threads, Duration idle) {
                        return new WithoutThreads(refusals);
                    }

                    @Override
                    public Future<?> runLater(Runnable task, long delayNanos) {
                        return super.runLater(task, 0);
                    }
                },
                "mount");
        Future<?> task = worker.schedule(() -> {}, 1, TimeUnit.HOURS);
        task.get(30, TimeUnit.SECONDS);
        assertThat(refusals).hasValue(-1);
    }

    /** Runs a task on the caller's thread, after some refusals. */
    private static final class WithoutThreads extends AbstractExecutorService {
        private final AtomicInteger refusals;

        WithoutThreads(AtomicInteger refusals) {
            this.refusals = refusals;
        }

        @Override
        public void execute(Runnable task) {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("no thread");
            }
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
