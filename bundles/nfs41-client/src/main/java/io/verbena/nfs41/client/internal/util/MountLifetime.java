package io.verbena.nfs41.client.internal.util;

import io.verbena.nfs.MountReplacedException;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whether a mount takes operations, how many are under way, and how it refuses operations after its end. An operation
 * is one call of the user, of one or several requests; what the mount does by itself is no operation. Thread safe.
 */
public final class MountLifetime {
    /** Why a mount ends. */
    public enum End {
        /** A user has unmounted the mount. */
        UNMOUNTED,
        /** Another mount takes its place, or will. */
        REPLACED
    }

    /** Begins an operation, or refuses it by an exception. */
    public interface Step<T> {
        CompletableFuture<T> begin() throws IOException;
    }

    private final String mount;
    private final Lock lock = new ReentrantLock();
    /** The mount has ended, and no operation is under way. */
    private final Condition idle;

    private final AtomicLong underWay = new AtomicLong();
    private volatile End end;

    public MountLifetime(String mount, Runtime runtime) {
        this.mount = mount;
        this.idle = runtime.newCondition(lock);
    }

    /** Begins an operation; {@link #exit} ends it. */
    public void enter() throws IOException {
        underWay.incrementAndGet();
        if (end != null) { // checked after counting: awaitIdle() awaits every operation that has passed this check
            exit();
            throw refusal(false);
        }
    }

    /** As {@link #enter}, but also after the end, for closing files. */
    public void enterToClose() {
        underWay.incrementAndGet();
    }

    public void exit() {
        if (underWay.decrementAndGet() == 0 && end != null) {
            lock.lock();
            try {
                idle.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Runs an operation that ends when its future completes. The future fails where the operation is refused. */
    public <T> CompletableFuture<T> operation(Step<T> step) {
        CompletableFuture<T> begun;
        try {
            enter();
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        try {
            begun = step.begin();
        } catch (IOException e) {
            exit();
            return CompletableFuture.failedFuture(e);
        } catch (Throwable e) {
            exit();
            throw e;
        }
        if (begun.isDone()) {
            exit();
        } else {
            Futures.whenDoneElse(begun, (value, thrown) -> exit(), thrown -> exit());
        }
        return begun;
    }

    /** Refuses operations from now on. Without effect the second time. */
    public boolean end(End why) {
        lock.lock();
        try {
            if (end != null) {
                return false;
            }
            end = why;
            return true;
        } finally {
            lock.unlock();
        }
    }

    public boolean isEnded() {
        return end != null;
    }

    /** Whether the mount has ended, and another one takes its place. */
    public boolean isReplaced() {
        return end == End.REPLACED;
    }

    /** Fails where the mount has ended. */
    public void requireGoing() throws IOException {
        if (end != null) {
            throw refusal(false);
        }
    }

    /** Waits until no operation is under way; false where that takes longer. */
    public boolean awaitIdle(long timeoutNanos) throws InterruptedException {
        lock.lock();
        try {
            long left = timeoutNanos;
            while (underWay.get() > 0) {
                if (left <= 0) {
                    return false;
                }
                left = idle.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The later steps of an operation, of which an earlier one has changed something. Where the mount is replaced
     * before they are done, the operation is undecided as a whole, though the step that was refused is certainly not
     * done.
     */
    public static <T> CompletableFuture<T> afterChange(CompletableFuture<T> later) {
        return later.exceptionallyCompose(thrown -> {
            Throwable cause = Futures.unwrap(thrown);
            if (cause instanceof MountReplacedException refused && !refused.isUndecided()) {
                MountReplacedException undecided = new MountReplacedException(refused.mount(), true);
                undecided.addSuppressed(refused);
                return CompletableFuture.failedFuture(undecided);
            }
            return CompletableFuture.failedFuture(cause);
        });
    }

    /**
     * The failure of an operation because the mount has ended.
     *
     * @param undecided whether a request was sent and has no answer
     */
    public IOException refusal(boolean undecided) {
        return end == End.UNMOUNTED
                ? new IOException("mount '" + mount + "' has been unmounted"
                        + (undecided ? ", and whether the server has done the operation is not known" : ""))
                : new MountReplacedException(mount, undecided);
    }
}
