package io.verbena.verbs;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One end of a connection under test: its connection, and the calls of its handler in order. */
public final class RdmaPeer implements ConnectionHandler {
    /** The bound for everything that a test waits for; larger on an emulated machine. */
    public static final long BOUND_SECONDS = Long.getLong("verbena.contract.seconds", 20);

    /** A copy of a completion; the original is valid during the call only. */
    public record Done(
            long id,
            Completion.Operation operation,
            Completion.Status status,
            int length,
            boolean invalidated,
            int invalidatedTag) {}

    private final BlockingQueue<Done> done = new LinkedBlockingQueue<>();
    private final CountDownLatch disconnected = new CountDownLatch(1);
    private final AtomicInteger disconnections = new AtomicInteger();
    private final AtomicInteger afterDisconnection = new AtomicInteger();
    private volatile RdmaException cause;
    private volatile Thread thread;
    private volatile RdmaConnection connection;
    private volatile Consumer<Done> onDone = d -> {};

    /** The connection, once there is one. */
    public RdmaConnection connection() {
        return connection;
    }

    public void use(RdmaConnection newConnection) {
        connection = newConnection;
    }

    /** Sets an action that the handler runs for each completion. */
    public void onEach(Consumer<Done> action) {
        onDone = action;
    }

    @Override
    public void onCompletions(Completion[] completions, int count) {
        thread = Thread.currentThread();
        if (disconnections.get() != 0) {
            afterDisconnection.incrementAndGet();
        }
        for (int i = 0; i < count; i++) {
            Completion c = completions[i];
            Done copy = new Done(c.id(), c.operation(), c.status(), c.length(), c.invalidated(), c.invalidatedTag());
            onDone.accept(copy);
            done.add(copy);
        }
    }

    @Override
    public void onDisconnected(RdmaException newCause) {
        cause = newCause;
        disconnections.incrementAndGet();
        disconnected.countDown();
    }

    /** The next completion. */
    public Done next() {
        try {
            Done next = done.poll(BOUND_SECONDS, TimeUnit.SECONDS);
            return next == null ? fail("no completion came; disconnected: " + disconnections + ", " + cause) : next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The next completion; fails the test unless it is a success. */
    public Done nextSuccess() {
        Done next = next();
        if (next.status() != Completion.Status.SUCCESS) {
            fail("not a success: " + next + ", " + cause);
        }
        return next;
    }

    /** Whether there are completions that {@link #next} has not returned. */
    public boolean hasNext() {
        return !done.isEmpty();
    }

    /** Waits for the end of the connection; returns its cause. */
    public RdmaException awaitDisconnected() {
        try {
            if (!disconnected.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
                fail("the handler was not told of the end of the connection");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return cause;
    }

    public boolean isDisconnected() {
        return disconnected.getCount() == 0;
    }

    /** The number of calls of {@code onDisconnected}. */
    public int disconnections() {
        return disconnections.get();
    }

    /** The number of calls after the end. */
    public int callsAfterDisconnection() {
        return afterDisconnection.get();
    }

    /** The thread of the last call. */
    public Thread thread() {
        return thread;
    }

    /** Waits for a future, or fails the test when that takes too long. */
    public static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
