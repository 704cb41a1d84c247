package io.verbena.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The future of an operation that borrows a buffer of its caller. The buffer belongs to the operation until the future
 * is complete, however the future completes.
 *
 * <p>The operation tells of each {@linkplain Use use} of the buffer: a transmission, or a copy. A thread that completes
 * the future from outside, by {@code cancel}, {@code complete}, {@code orTimeout} and the like, gives the operation up:
 * each present use ends early, no further use begins, and the future completes with the last use. Futures that are
 * derived from this one do not pass their own completion on.
 *
 * <p>Any thread may call any method.
 *
 * @param <T> the result of the operation
 */
public final class BorrowingFuture<T> extends CompletableFuture<T> {
    private final Threads threads;
    /** There before it is needed: the end of an operation must not need memory. */
    private final Runnable completion = this::completeHere;
    /** A {@link Lock}, since the future may be reachable by lambdas alone. */
    private final Lock lock = new ReentrantLock();

    /** A use of the buffer. */
    @GuardedBy("lock")
    private Use first;

    /** The other uses; null until there are two at a time. */
    @GuardedBy("lock")
    private List<Use> others;

    @GuardedBy("lock")
    private T value;

    @GuardedBy("lock")
    private Throwable failure;

    /** Whether the outcome is decided: no use begins any more. */
    @GuardedBy("lock")
    private boolean isOver;

    private volatile boolean isGivenUp;

    /** One use of a borrowed buffer. */
    @FunctionalInterface
    public interface Use {
        /**
         * Ends the use as soon as possible, and then calls {@link #end}, on any thread. Does not block. Called once or
         * not at all, and perhaps after the end of the use.
         */
        void giveUp();
    }

    /** The threads on which futures end. The methods throw nothing. */
    public interface Threads {
        /** Runs a task that ends a use, once. The task does not block, and may complete futures of others. */
        void execute(Runnable task);

        /** Runs the completion of a future at once, with the continuations of its caller. */
        void complete(Runnable completion);
    }

    /** @param threads give operations up, and complete the future */
    public BorrowingFuture(Threads threads) {
        this.threads = threads;
    }

    /**
     * Begins a use of the buffer, which {@link #end} ends.
     *
     * @return false where the buffer belongs to its owner again, or soon will
     */
    public boolean begin(Use use) {
        lock.lock();
        try {
            if (isOver) {
                return false;
            }
            if (first == null) {
                first = use;
            } else {
                if (others == null) {
                    others = new ArrayList<>();
                }
                others.add(use);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a use of the buffer. Without effect for a use that has ended. */
    public void end(Use use) {
        lock.lock();
        try {
            if (first == use) {
                first = null;
            } else if (others == null || !others.remove(use)) {
                return;
            }
            if (!isOver || isUsed()) {
                return;
            }
        } finally {
            lock.unlock();
        }
        completeNow();
    }

    /** Runs a short use of the buffer on this thread, unless the buffer belongs to its owner again. */
    public void use(Runnable action) {
        Use use = () -> {}; // ends by itself
        if (begin(use)) {
            try {
                action.run();
            } finally {
                end(use);
            }
        }
    }

    @GuardedBy("lock")
    private boolean isUsed() {
        return first != null || (others != null && !others.isEmpty());
    }

    /** Whether a thread has completed the future from outside. */
    public boolean isGivenUp() {
        return isGivenUp;
    }

    /**
     * The operation has ended: the future completes with the last use. Without effect on an operation that was given
     * up.
     *
     * @param thrown the failure, or null; a {@link CompletionException} is told by its cause
     */
    public void finish(T result, Throwable thrown) {
        lock.lock();
        try {
            if (!decide(result, thrown instanceof CompletionException e && e.getCause() != null ? e.getCause() : thrown)
                    || isUsed()) {
                return;
            }
        } finally {
            lock.unlock();
        }
        completeNow();
    }

    @GuardedBy("lock")
    private boolean decide(T result, Throwable thrown) {
        if (isOver) {
            return false;
        }
        value = result;
        failure = thrown;
        isOver = true;
        return true;
    }

    private boolean giveUp(T result, Throwable thrown) {
        List<Runnable> asks; // made before anything is decided, since that may fail
        lock.lock();
        try {
            asks = isOver ? List.of() : asks();
            if (!decide(result, thrown)) {
                return false;
            }
            isGivenUp = true;
        } finally {
            lock.unlock();
        }
        if (asks.isEmpty()) {
            completeNow();
        } else {
            asks.forEach(threads::execute);
        }
        return true;
    }

    /** Asks each present use to end. */
    @GuardedBy("lock")
    private List<Runnable> asks() {
        List<Runnable> asks = new ArrayList<>();
        Use one = first;
        if (one != null) {
            asks.add(one::giveUp);
        }
        if (others != null) {
            for (Use use : others) {
                asks.add(use::giveUp);
            }
        }
        return asks;
    }

    private void completeNow() {
        threads.complete(completion);
    }

    private void completeHere() {
        T result;
        Throwable thrown;
        lock.lock();
        try {
            result = value;
            thrown = failure;
        } finally {
            lock.unlock();
        }
        if (thrown == null) {
            super.complete(result);
        } else {
            super.completeExceptionally(thrown);
        }
    }

    @Override
    public boolean complete(T result) {
        return giveUp(result, null);
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        return giveUp(null, thrown);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return giveUp(null, new CancellationException("the operation was cancelled")) || isCancelled();
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        executor.execute(() -> {
            try {
                complete(supplier.get());
            } catch (Throwable e) { // of the supplier
                completeExceptionally(e);
            }
        });
        return this;
    }

    /** @throws UnsupportedOperationException always: the buffer may be in use */
    @Override
    public void obtrudeValue(T result) {
        throw obtruded();
    }

    /** @throws UnsupportedOperationException always: the buffer may be in use */
    @Override
    public void obtrudeException(Throwable thrown) {
        throw obtruded();
    }

    private static UnsupportedOperationException obtruded() {
        return new UnsupportedOperationException("the operation may still use its buffer: cancel the future instead");
    }

    /**
     * The use of a borrowed buffer by one future after another, for instance by a call and its repetitions. Giving up
     * cancels the present future. One thread at a time calls {@link #begin}, {@link #underWay} and {@link #end}.
     */
    public static final class Attempts implements Use {
        private final BorrowingFuture<?> operation;
        private volatile Future<?> present;
        private boolean isUsing;

        public Attempts(BorrowingFuture<?> operation) {
            this.operation = operation;
        }

        /**
         * The next attempt begins.
         *
         * @return false where the buffer belongs to its owner again, or soon will
         */
        public boolean begin() {
            isUsing = operation.begin(this);
            return isUsing;
        }

        /** The present attempt, which uses the buffer until its future is complete. Then comes {@link #end}. */
        public void underWay(Future<?> attempt) {
            if (!isUsing) {
                return; // it goes on without the buffer
            }
            present = attempt;
            if (operation.isGivenUp()) { // checked after the attempt is there for giveUp()
                attempt.cancel(false);
            }
        }

        /** The present attempt has ended. Without effect where there is none. */
        public void end() {
            present = null;
            if (isUsing) {
                isUsing = false;
                operation.end(this);
            }
        }

        /** Whether the operation was given up: a further attempt is refused. */
        public boolean isGivenUp() {
            return operation.isGivenUp();
        }

        @Override
        public void giveUp() {
            Future<?> attempt = present;
            if (attempt != null) {
                attempt.cancel(false);
            }
        }
    }
}
