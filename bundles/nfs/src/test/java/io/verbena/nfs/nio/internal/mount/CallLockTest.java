package io.verbena.nfs.nio.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallLockTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 2_000;

    private final CallLock lock = new CallLock(new SystemRuntime());
    private int count;

    /** A signal for a thread that is interrupted meanwhile reaches another one. */
    @Test
    void shouldLetOneThreadInAndLoseNoSignalThoughThreadsAreInterrupted() throws Exception {
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            FutureTask<Integer> task = new FutureTask<>(this::countUp);
            Thread thread = new Thread(task);
            thread.start();
            tasks.add(task);
            threads.add(thread);
        }
        Random random = new Random(1);
        while (threads.stream().anyMatch(Thread::isAlive)) {
            threads.get(random.nextInt(THREADS)).interrupt();
        }
        int sum = 0;
        for (FutureTask<Integer> task : tasks) {
            sum += task.get(30, TimeUnit.SECONDS);
        }
        assertThat(count).isEqualTo(sum).isEqualTo(THREADS * ROUNDS);
    }

    private int countUp() throws Exception {
        int counted = 0;
        while (counted < ROUNDS) {
            try {
                lock.lock();
            } catch (InterruptedIOException e) {
                assertThat(Thread.interrupted()).isTrue();
                continue;
            }
            try {
                lock.lock();
                count++;
                counted++;
                lock.unlock();
            } finally {
                lock.unlock();
            }
        }
        return counted;
    }
}
