package io.verbena.nfs41.client.internal.util;

import io.verbena.memory.BorrowingFuture;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One wait of a step of an operation that has borrowed a buffer. It ends once: by what is awaited, or as the caller
 * gives the operation up. A wait that has ended knows its step no more, so that what was awaited, which may never come,
 * keeps no memory of the step. Thread safe.
 *
 * @param <S> the step
 */
public class OperationWait<S extends OperationWait.Step> implements BorrowingFuture.Use {
    /** A step that waits. One thread at a time calls it. */
    public interface Step {
        /** Whether the step goes on without the buffer, where the operation was given up. */
        boolean goesOn();

        /** Ends the step. */
        void giveUp(Throwable why);
    }

    /** What a step does once the wait is over. It refers to no step. */
    public interface Then<S, V> {
        void run(S step, V value, Throwable thrown);
    }

    private final AtomicReference<S> step;
    private final BorrowingFuture<?> operation;
    /** Set before the operation knows this use. */
    private volatile boolean isOffered;

    /** @param operation what the step is part of, or null where nobody can give it up */
    public OperationWait(S step, BorrowingFuture<?> operation) {
        this.step = new AtomicReference<>(step);
        this.operation = operation;
    }

    /** Goes on with a step once a future is complete. A Throwable of the step gives the step up. */
    public final <V> void until(CompletableFuture<V> awaited, Then<? super S, ? super V> then) {
        Futures.whenDoneElse(
                awaited,
                (value, thrown) -> end(then, value, thrown),
                thrown -> end((waiting, value, failed) -> waiting.giveUp(failed), null, thrown));
        offer();
    }

    private <V> void end(Then<? super S, ? super V> then, V value, Throwable thrown) {
        S waiting = end();
        if (waiting == null) {
            return;
        }
        try {
            then.run(waiting, value, thrown);
        } catch (Throwable e) {
            waiting.giveUp(e);
        }
    }

    /** Ends the wait. Returns null where the wait has ended before. */
    protected final S end() {
        S waiting = step.getAndSet(null);
        if (isOffered) {
            operation.end(this);
        }
        return waiting;
    }

    /** The step; null once the wait has ended. */
    protected final S step() {
        return step.get();
    }

    /** From now on the operation can be given up. Called once the wait has begun. */
    protected final void offer() {
        if (operation == null || step.get() == null) {
            return;
        }
        isOffered = true;
        if (!operation.begin(this)) {
            giveUp(); // it was given up before
        } else if (step.get() == null) {
            operation.end(this); // the wait has ended before the operation knew of it
        }
    }

    @Override
    public final void giveUp() {
        try {
            S waiting = step.get();
            if (waiting != null && !waiting.goesOn() && step.compareAndSet(waiting, null)) {
                left();
                waiting.giveUp(new CancellationException("the operation was given up"));
            }
        } finally {
            operation.end(this);
        }
    }

    /** The step does not wait any more. */
    protected void left() {}
}
