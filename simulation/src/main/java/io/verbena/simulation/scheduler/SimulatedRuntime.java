package io.verbena.simulation.scheduler;

import io.verbena.runtime.Runtime;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;

/** The runtime of a simulated process: virtual time, strands as threads, random numbers of the seed. */
final class SimulatedRuntime implements Runtime {
    private static final Instant ORIGIN = Instant.parse("2030-01-01T00:00:00Z");
    /** What a look at the clock takes. A loop that looks at the clock ends by that. */
    private static final long CLOCK_NANOS = 40;

    private final Scheduler scheduler;
    private final SimulatedProcess process;
    private final SplittableRandom random;

    SimulatedRuntime(Scheduler scheduler, SimulatedProcess process, SplittableRandom random) {
        this.scheduler = scheduler;
        this.process = process;
        this.random = random;
    }

    @Override
    public long nanoTime() {
        if (Thread.currentThread() instanceof Carrier) {
            scheduler.spend(CLOCK_NANOS);
        }
        return scheduler.now();
    }

    @Override
    public Instant now() {
        return ORIGIN.plusNanos(scheduler.now() + process.clockOffset());
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public ThreadFactory threads(String prefix) {
        int[] made = {0};
        return task -> new Carrier(scheduler, process, prefix + "-" + ++made[0], task);
    }

    @Override
    public ScheduledExecutorService newScheduler(String prefix, int threads) {
        return new SimulatedExecutor(scheduler, process, prefix, threads);
    }

    @Override
    public ExecutorService newExecutor(String prefix, Duration idle) {
        return new SimulatedExecutor(scheduler, process, prefix, Integer.MAX_VALUE);
    }

    @Override
    public ExecutorService newExecutor(String prefix, int threads, Duration idle) {
        return new SimulatedExecutor(scheduler, process, prefix, threads);
    }

    @Override
    public Future<?> runLater(Runnable task, long delayNanos) {
        SimulatedTask<Void> made = new SimulatedTask<>(scheduler, scheduler.judged(process, task), null);
        set(made, scheduler.now() + Math.max(0, delayNanos));
        return made;
    }

    @Override
    public Future<?> runRepeatedly(Runnable task, long periodNanos) {
        SimulatedTask<Void> made =
                new SimulatedTask<>(scheduler, scheduler.judged(process, task), null, periodNanos, false, () -> {});
        set(made, scheduler.now() + periodNanos);
        return made;
    }

    private void set(SimulatedTask<Void> task, long time) {
        task.timer(scheduler.at(time, () -> due(task), process), time);
    }

    private void due(SimulatedTask<Void> task) {
        if (!process.isDead()) {
            scheduler.start(process, "timer", () -> {
                if (!task.isPeriodic()) {
                    task.run();
                } else if (task.runAgain()) {
                    set(task, task.nextTime());
                }
            });
        }
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
        requireNoInterrupt();
        if (nanos > 0) {
            scheduler.suspend(scheduler.now() + nanos, true);
            requireNoInterrupt();
        }
    }

    @Override
    public Condition newCondition(Lock lock) {
        return new SimulatedCondition(scheduler, lock);
    }

    @Override
    public <T> T await(Future<T> future, long timeoutNanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        scheduler.yieldSometimes();
        requireNoInterrupt();
        awaitDone(future, timeoutNanos);
        if (!future.isDone()) {
            throw new TimeoutException();
        }
        return future.get();
    }

    private void awaitDone(Future<?> future, long timeoutNanos) throws InterruptedException {
        long end = timeoutNanos == Long.MAX_VALUE ? Long.MAX_VALUE : scheduler.now() + timeoutNanos;
        if (end < 0) {
            end = Long.MAX_VALUE;
        }
        boolean inTime = timeoutNanos > 0;
        while (inTime && !future.isDone()) {
            Strand me = scheduler.current();
            long wait = me.nextWait();
            whenDone(future, () -> scheduler.wake(me, wait));
            inTime = scheduler.suspend(end, true);
            if (!future.isDone()) {
                requireNoInterrupt();
            }
        }
    }

    private static void whenDone(Future<?> future, Runnable wake) {
        if (future instanceof CompletableFuture<?> completable) {
            CompletableFuture<?> unused = completable.whenComplete((done, thrown) -> wake.run());
        } else if (future instanceof SimulatedTask<?> task) {
            task.whenDone(wake);
        } else {
            throw new IllegalStateException("no future that can be waited for here: " + future.getClass());
        }
    }

    private static void requireNoInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public boolean awaitEnd(Thread thread, long timeoutNanos) throws InterruptedException {
        Strand strand = ((Carrier) thread).own();
        long end = scheduler.now() + Math.max(0, timeoutNanos);
        while (strand.state() != Strand.State.ENDED && (end < 0 || scheduler.now() < end)) {
            sleep(10_000);
        }
        return strand.state() == Strand.State.ENDED;
    }

    @Override
    public boolean awaitEnd(ExecutorService executor, long timeoutNanos) throws InterruptedException {
        SimulatedExecutor simulated = (SimulatedExecutor) executor;
        if (simulated.runsCaller()) {
            return false;
        }
        requireNoInterrupt();
        awaitDone(simulated.terminated(), timeoutNanos);
        return simulated.isTerminated();
    }
}
