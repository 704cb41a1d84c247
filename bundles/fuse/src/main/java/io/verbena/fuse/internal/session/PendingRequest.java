package io.verbena.fuse.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Opcode;
import io.verbena.fuse.internal.kernel.Request;

/** A request that has no answer yet. It is answered once. Thread safe. */
final class PendingRequest {
    private final Request request;
    private final Opcode opcode;
    private final boolean endsBySignal;

    /** The thread that executes it; null before and after, and of a READ or WRITE. */
    @GuardedBy("this")
    private Thread thread;

    /** Whether its outcome is there, which is the answer then. What a close(2) unlocks is still to come. */
    @GuardedBy("this")
    private boolean executed;

    @GuardedBy("this")
    private boolean answered;

    @GuardedBy("this")
    private boolean cancelled;

    PendingRequest(Request request) {
        this.request = request;
        this.opcode = request.opcode();
        this.endsBySignal = opcode == Opcode.SETLKW && !request.unlocks(); // an unlock may come as a wait
    }

    Request request() {
        return request;
    }

    /** The calling thread begins to execute it; returns false if it was cancelled before. */
    synchronized boolean begin() {
        if (cancelled) {
            return false;
        }
        thread = Thread.currentThread();
        return true;
    }

    /** The calling thread has executed it. */
    synchronized void end() {
        thread = null;
        executed = !isFlush();
        boolean unused = Thread.interrupted();
    }

    /** Whether the caller is the one who answers. */
    synchronized boolean answers() {
        boolean first = !answered;
        answered = true;
        return first;
    }

    synchronized boolean isAnswered() {
        return answered;
    }

    /**
     * Ends the request for a program that is being killed, or that a signal keeps from waiting for a lock.
     *
     * @return whether the caller answers it; else the thread that executes it does so, with what has come of it
     */
    synchronized boolean cancel() {
        cancelled = true;
        if (answered || executed) {
            return false;
        }
        if (thread != null) {
            thread.interrupt();
            return false;
        }
        answered = true;
        return true;
    }

    /** Whether any signal ends it: a wait for a lock. Other requests end when the program is killed. */
    boolean endsBySignal() {
        return endsBySignal;
    }

    /** Whether no program waits for it, and what was written depends on it. */
    boolean closes() {
        return opcode == Opcode.RELEASE || opcode == Opcode.RELEASEDIR || opcode == Opcode.WRITE;
    }

    boolean isFlush() {
        return opcode == Opcode.FLUSH;
    }
}
