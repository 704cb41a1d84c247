package io.verbena.nfs41.client.internal.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.runtime.SystemRuntime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BinarySemaphoreTest {
    private static final long LONG_NANOS = TimeUnit.DAYS.toNanos(1);

    private final BinarySemaphore semaphore = new BinarySemaphore(new SystemRuntime());

    @Test
    void shouldLetAnotherThreadReleaseIt() throws Exception {
        assertThat(semaphore.acquire(0)).isTrue();
        CompletableFuture<Void> second = CompletableFuture.runAsync(semaphore::acquireUninterruptibly);
        assertThat(second).isNotDone();
        CompletableFuture.runAsync(semaphore::release).get(30, TimeUnit.SECONDS);
        second.get(30, TimeUnit.SECONDS);
        semaphore.release();
        assertThat(semaphore.acquire(0)).isTrue();
    }

    @Test
    void shouldEndAWaitByAnInterruption() throws Exception {
        assertThat(semaphore.acquire(0)).isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> semaphore.acquire(LONG_NANOS)).isInstanceOf(InterruptedException.class);
        semaphore.release();
        Thread.currentThread().interrupt();
        semaphore.acquireUninterruptibly();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void shouldEndAWaitWithItsTime() throws Exception {
        assertThat(semaphore.acquire(LONG_NANOS)).isTrue();
        assertThat(semaphore.acquire(1)).isFalse();
        semaphore.release();
        assertThat(semaphore.acquire(1)).isTrue();
    }
}
