package io.verbena.runtime;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * The runtime on the JVM's clocks and threads, and on its secure random numbers. OSGi registers one as a service; a
 * program on a plain class path makes one. The runtime keeps one thread while there are tasks of {@link #runLater} and
 * {@link #runRepeatedly}, and for some seconds after the last one.
 */
@Component
public class SystemRuntime implements Runtime, AutoCloseable {
    private static final int IDLE_SECONDS = 5;

    private final SecureRandom random = new SecureRandom();
    private final ScheduledExecutorService timer = newScheduler("verbena-timer", 1);

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public ThreadFactory threads(String prefix) {
        return new NamedThreads(prefix);
    }

    @Override
    public ScheduledExecutorService newScheduler(String prefix, int threads) {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(threads, threads(prefix));
        if (threads == 1) { // of several threads all but one would end, and one that blocks hold up tasks that are due
            scheduler.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            scheduler.allowCoreThreadTimeOut(true);
        }
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return scheduler;
    }

    @Override
    public Future<?> runLater(Runnable task, long delayNanos) {
        return timer.schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
    }

    @Override
    public Future<?> runRepeatedly(Runnable task, long periodNanos) {
        return timer.scheduleWithFixedDelay(task, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    /** Ends the shared thread at once; tasks that wait for their time do not run, and no more are taken. */
    @Override
    @Deactivate
    public void close() {
        timer.shutdownNow();
    }

    @Override
    public ExecutorService newExecutor(String prefix, Duration idle) {
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, idle.toNanos(), TimeUnit.NANOSECONDS, new SynchronousQueue<>(), threads(prefix));
    }

    @Override
    public ExecutorService newExecutor(String prefix, int threads, Duration idle) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, idle.toNanos(), TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>(), threads(prefix));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }

    @Override
    public Condition newCondition(Lock lock) {
        return lock.newCondition();
    }

    @Override
    public <T> T await(Future<T> future, long timeoutNanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        return timeoutNanos == Long.MAX_VALUE
                ? future.get()
                : future.get(Math.max(0, timeoutNanos), TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean awaitEnd(Thread thread, long timeoutNanos) throws InterruptedException {
        if (timeoutNanos > 0) {
            TimeUnit.NANOSECONDS.timedJoin(thread, timeoutNanos);
        }
        return !thread.isAlive();
    }

    @Override
    public boolean awaitEnd(ExecutorService executor, long timeoutNanos) throws InterruptedException {
        long start = System.nanoTime();
        if (threadsOf(executor).contains(Thread.currentThread())) {
            return false;
        }
        if (!executor.awaitTermination(Math.max(0, timeoutNanos), TimeUnit.NANOSECONDS)) {
            return false;
        }
        // an executor is terminated while the last of its threads still runs code of the executor
        for (Thread thread : threadsOf(executor)) {
            if (!awaitEnd(thread, timeoutNanos - (System.nanoTime() - start))) {
                return false;
            }
        }
        return true;
    }

    private static List<Thread> threadsOf(ExecutorService executor) {
        return executor instanceof ThreadPoolExecutor pool && pool.getThreadFactory() instanceof NamedThreads threads
                ? threads.made()
                : List.of();
    }
}
