package io.verbena.runtime;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Time, threads, timers and random numbers. The client, the dispatcher, the server, java.nio and the software iWARP
 * provider take all of these from a runtime that the bundle is given, and from nowhere else. The same code therefore
 * runs on the machine's clock and threads, or in virtual time, where one thread runs at a time and a seed decides
 * which.
 *
 * <p>Any thread may call any method. Every wait has an end: a time-out, an interruption, or the end of the awaited
 * work. A thread holds no lock while it waits, except the lock of the condition that it waits on.
 */
@ProviderType
@SuppressWarnings("JavaLangClash") // the name of the contract; nobody needs java.lang.Runtime beside it
public interface Runtime {
    /**
     * Returns the time of a clock that never goes back, in nanoseconds since an arbitrary origin. Only differences
     * count.
     */
    long nanoTime();

    /** Returns the time of day. The time of day may jump, also backwards. */
    Instant now();

    /** Returns a source of random numbers that no peer can predict. Any thread may use the source. */
    RandomGenerator random();

    /**
     * Makes daemon threads with the names {@code prefix-1}, {@code prefix-2} and so on. The caller starts each thread,
     * and ends it.
     */
    ThreadFactory threads(String prefix);

    /**
     * Makes an executor that runs tasks at a time. Tasks that wait for their time end with the executor. The only
     * thread of an executor ends when it has had no task for some seconds; the next task has another thread. The caller
     * shuts the executor down.
     *
     * @param prefix of the names of the threads
     * @param threads how many there are at most
     */
    ScheduledExecutorService newScheduler(String prefix, int threads);

    /**
     * Runs a short task once, after a delay. All such tasks of the runtime share one thread, so that they do not block
     * and do not take long: a task hands what may to an executor. The thread ends when there has been no task for some
     * seconds.
     *
     * @param delayNanos zero or less for at once
     * @return cancels the task
     */
    Future<?> runLater(Runnable task, long delayNanos);

    /**
     * Runs a short task again and again, as {@link #runLater}. What the task throws ends the repetition.
     *
     * @param periodNanos from the end of one run to the start of the next, and before the first; more than zero
     * @return ends the repetition when it is cancelled
     */
    Future<?> runRepeatedly(Runnable task, long periodNanos);

    /**
     * Makes an executor with as many threads as tasks run at once. The caller bounds the number of tasks, and shuts the
     * executor down.
     *
     * @param prefix of the names of the threads
     * @param idle how long a thread waits for a further task before the thread ends; zero for not at all
     */
    ExecutorService newExecutor(String prefix, Duration idle);

    /**
     * Makes an executor with a bounded number of threads. Further tasks wait in a queue without bound, which the caller
     * bounds. Idle threads end. The caller shuts the executor down.
     *
     * @param prefix of the names of the threads
     * @param threads how many run at once at most
     * @param idle how long a thread waits for a further task before the thread ends, more than zero
     */
    ExecutorService newExecutor(String prefix, int threads, Duration idle);

    /**
     * Lets the calling thread pause, for instance to keep to a rate. A thread that waits for an event waits for a
     * future or on a condition instead.
     *
     * @param nanos how long; zero or less for not at all
     * @throws InterruptedException if the calling thread is interrupted
     */
    void sleep(long nanos) throws InterruptedException;

    /**
     * Makes a condition on which threads wait. A thread holds the lock when the thread calls the condition.
     *
     * @param lock one that was made by its constructor, such as a {@link java.util.concurrent.locks.ReentrantLock}
     */
    Condition newCondition(Lock lock);

    /**
     * Waits for the end of a future.
     *
     * @param timeoutNanos how long at most; zero or less asks without waiting; {@link Long#MAX_VALUE} waits as long as
     *     the future takes, which its owner bounds
     * @return the future's result
     * @throws TimeoutException if the future has not ended by then; the future goes on
     * @throws ExecutionException with the cause, if the future has failed
     * @throws java.util.concurrent.CancellationException if the future was cancelled
     * @throws InterruptedException if the calling thread is interrupted
     */
    <T> T await(Future<T> future, long timeoutNanos) throws InterruptedException, ExecutionException, TimeoutException;

    /**
     * Waits for the end of a thread.
     *
     * @param timeoutNanos how long at most; zero or less asks without waiting
     * @return whether the thread has ended
     * @throws InterruptedException if the calling thread is interrupted
     */
    boolean awaitEnd(Thread thread, long timeoutNanos) throws InterruptedException;

    /**
     * Waits until all tasks of an executor have ended that was shut down, and its threads. A thread of the executor
     * does not wait.
     *
     * @param timeoutNanos how long at most; zero or less asks without waiting
     * @return whether all tasks and threads have ended; false to a thread of the executor
     * @throws InterruptedException if the calling thread is interrupted
     */
    boolean awaitEnd(ExecutorService executor, long timeoutNanos) throws InterruptedException;
}
