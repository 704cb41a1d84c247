package io.verbena.nfs41.client.internal;

import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a mount takes operations, how many are under way, and what those are told that come too late. Operations are
 * the user's calls, of one request or many; what the mount does of itself is none. Thread safe.
 */
final class Lifetime {
    /** Why a mount ends. */
    enum End {
        /** Somebody has unmounted it. */
        UNMOUNTED,
        /** Another one takes its place, or will. */
        REPLACED
    }

    /** Begins something of several requests, or refuses. */
    interface Step<T> {
        CompletableFuture<T> begin() throws IOException;
    }

    private final String mount;
    private final AtomicLong underWay = new AtomicLong();
    private volatile End end;

    Lifetime(String mount) {
        this.mount = mount;
    }

    /** An operation begins, which {@link #exit} ends. */
    void enter() throws IOException {
        underWay.incrementAndGet();
        if (end != null) { // looked at only now, so that who has passed is waited for
            exit();
            throw refusal(false);
        }
    }

    /** As {@link #enter}, for what is done at the end too: closing files. */
    void enterToClose() {
        underWay.incrementAndGet();
    }

    void exit() {
        if (underWay.decrementAndGet() == 0 && end != null) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** An operation that ends with its future, which fails where it is refused. */
    <T> CompletableFuture<T> operation(Step<T> step) {
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
        } catch (RuntimeException | Error e) {
            exit();
            throw e;
        }
        if (begun.isDone()) {
            exit();
        } else {
            Futures.whenDone(begun, (value, thrown) -> exit());
        }
        return begun;
    }

    /** Refuses what comes from now on; without effect the second time. */
    synchronized boolean end(End why) {
        if (end != null) {
            return false;
        }
        end = why;
        return true;
    }

    boolean isEnded() {
        return end != null;
    }

    /** Fails where the mount has ended. */
    void requireGoing() throws IOException {
        if (end != null) {
            throw refusal(false);
        }
    }

    /** Waits until what is under way has come to its end; false where it takes longer. */
    synchronized boolean awaitIdle(long timeoutNanos) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutNanos;
        while (underWay.get() > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    /**
     * What an operation fails with because the mount has ended.
     *
     * @param undecided whether a request was on its way without an answer
     */
    IOException refusal(boolean undecided) {
        return end == End.UNMOUNTED
                ? new IOException("mount '" + mount + "' has been unmounted"
                        + (undecided ? ", and whether the server has done the operation is not known" : ""))
                : new MountReplacedException(mount, undecided);
    }
}
