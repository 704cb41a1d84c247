package io.verbena.rpcrdma.dispatcher.internal.base;

import io.verbena.runtime.Closing;
import io.verbena.runtime.Runtime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Wakes threads that wait for a state of an object. The object guards its state by a lock of its own, and signals each
 * change that a thread may wait for, with or without that lock. A signal costs one read while no thread waits. Thread
 * safe.
 */
public final class StateSignal {
    private final Runtime runtime;
    private final AtomicReference<CompletableFuture<Void>> next = new AtomicReference<>();

    public StateSignal(Runtime runtime) {
        this.runtime = runtime;
    }

    /** Has the waiting threads look at the state again. The state has changed before the call. */
    public void signalAll() {
        CompletableFuture<Void> awaited = next.get() == null ? null : next.getAndSet(null);
        if (awaited != null) {
            awaited.complete(null); // only the waiting threads depend on it
        }
    }

    /**
     * Waits for a state. The caller holds no lock.
     *
     * @param reached tells whether the state is reached; it takes the lock of the object itself
     * @param deadline the latest end of the wait, on the runtime's clock
     * @return false if the state was not reached by then
     * @throws InterruptedException if the calling thread is interrupted while it waits
     */
    public boolean await(BooleanSupplier reached, long deadline) throws InterruptedException {
        while (true) {
            Future<Void> change = nextChange(); // taken before the look at the state: no change is missed
            if (reached.getAsBoolean()) {
                return true;
            }
            long left = deadline - runtime.nanoTime();
            if (left <= 0) {
                return false;
            }
            await(change, left);
        }
    }

    /**
     * As {@link #await}, for an end: an interrupt does not shorten the wait, and the thread is interrupted afterwards.
     */
    public boolean awaitEnd(BooleanSupplier reached, long deadline) {
        return Closing.uninterruptibly(() -> await(reached, deadline));
    }

    private Future<Void> nextChange() {
        while (true) {
            CompletableFuture<Void> present = next.get();
            if (present != null) {
                return present;
            }
            CompletableFuture<Void> fresh = new CompletableFuture<>();
            if (next.compareAndSet(null, fresh)) {
                return fresh;
            }
        }
    }

    private void await(Future<Void> change, long nanos) throws InterruptedException {
        try {
            runtime.await(change, nanos);
        } catch (TimeoutException e) {
            // the caller looks at the state once more
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // no signal fails
        }
    }
}
