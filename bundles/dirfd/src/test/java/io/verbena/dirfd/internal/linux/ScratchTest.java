package io.verbena.dirfd.internal.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
final class ScratchTest {
    private static final int THREADS = 100;

    @Test
    void staysWithNoThread() throws Exception {
        Set<Long> addresses = ConcurrentHashMap.newKeySet();
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        try {
            for (int i = 0; i < THREADS; i++) {
                CompletableFuture<Void> used = new CompletableFuture<>();
                Thread thread = new Thread(() -> {
                    try (Scratch scratch = Scratch.take()) {
                        addresses.add(scratch.statxAddress());
                    }
                    used.complete(null);
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                threads.add(thread);
                thread.start();
                used.get(30, TimeUnit.SECONDS);
            }
        } finally {
            end.countDown();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(addresses).hasSizeLessThanOrEqualTo(THREADS / 2); // what other tests have left is used in turn
    }

    @Test
    void isOfOneCallAtATime() {
        Set<Long> addresses = new HashSet<>();
        List<Scratch> taken = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            taken.add(Scratch.take());
            addresses.add(taken.get(i).statxAddress());
        }
        taken.forEach(Scratch::close);
        assertThat(addresses).hasSize(THREADS);
    }
}
