package io.verbena.nfs.nio.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A call that a thread of its own makes, and that waits for the server or for another call. */
final class WaitingCall {
    private static final long SECONDS = 30;

    private final CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    private final Thread thread;

    interface Call {
        void make() throws Exception;
    }

    private WaitingCall(Call call) {
        thread = new Thread(() -> {
            try {
                call.make();
                outcome.complete(null);
            } catch (Throwable e) {
                outcome.complete(e);
            }
        });
        thread.setDaemon(true);
    }

    /** Begins the call, and returns when it waits. */
    static WaitingCall begin(Call call) {
        WaitingCall begun = new WaitingCall(call);
        begun.thread.start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!begun.isWaiting() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(begun.isWaiting()).as("waits").isTrue();
        return begun;
    }

    private boolean isWaiting() {
        return switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            case NEW, RUNNABLE, TERMINATED -> false;
        };
    }

    WaitingCall interrupt() {
        thread.interrupt();
        return this;
    }

    boolean hasEnded() {
        return outcome.isDone();
    }

    /** Waits for the end, and returns what the call has thrown, or null. */
    Throwable outcome() throws Exception {
        return outcome.get(SECONDS, TimeUnit.SECONDS);
    }
}
