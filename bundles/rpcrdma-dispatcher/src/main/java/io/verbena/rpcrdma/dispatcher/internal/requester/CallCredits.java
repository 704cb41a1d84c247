package io.verbena.rpcrdma.dispatcher.internal.requester;

/**
 * The credits of one requester on its present connection (RFC 8166 section 3.3). A connection begins with one credit;
 * each reply brings the number of calls that may be in flight, never taken for more than was asked for. A call that is
 * given up after it was sent keeps its credit, since the peer may be at work on the call: the credit comes back with
 * the late reply, or with another connection. Guarded by the lock of {@link CallTable}, which it does not know.
 */
final class CallCredits {
    private final int requested;
    private int limit = 1;
    private int inFlight;
    private int abandoned;
    private int questions; // of those abandoned

    /**
     * @param requested the most calls in flight at once that are asked for
     */
    CallCredits(int requested) {
        this.requested = requested;
    }

    /** The calls that may be in flight at once now. */
    int limit() {
        return limit;
    }

    /** The credits that calls hold, given up ones too. */
    int inFlight() {
        return inFlight;
    }

    /** Whether a call may be sent. */
    boolean isAvailable() {
        return inFlight < limit;
    }

    /** Whether there is a credit for a question: one is always left to calls. */
    boolean isAvailableForQuestion() {
        return inFlight + 1 < limit;
    }

    /** A call is sent. */
    void take() {
        inFlight++;
    }

    /** A question is sent; it counts as a call that was given up. */
    void takeForQuestion() {
        inFlight++;
        abandoned++;
        questions++;
    }

    /** A call in flight is given up; its credit is not free yet. */
    void abandon() {
        abandoned++;
    }

    /** A call in flight has ended: its credit is free. */
    void free() {
        inFlight--;
    }

    /** The late reply to a call that was given up came, or the answer to a question: the credit is free. */
    void freeAbandoned(boolean isQuestion) {
        abandoned--;
        questions -= isQuestion ? 1 : 0;
        free();
    }

    /** Whether every call in flight was given up: no reply is waited for. */
    boolean isQuiet() {
        return inFlight == abandoned;
    }

    /** Whether each call in flight was given up, and there is one, not only questions. */
    boolean isAbandoned() {
        return abandoned > questions && isQuiet();
    }

    /** Takes a grant: up or down, never over what was asked for; zero is none (RFC 8166 section 3.3.1). */
    void grant(int granted) {
        if (granted != 0) {
            limit = granted < 0 ? requested : Math.min(granted, requested); // an unsigned number
        }
    }

    /** A connection begins, with one credit. */
    void begin() {
        limit = 1;
    }

    /** The connection has ended, and every credit with it. */
    void clear() {
        inFlight = 0;
        abandoned = 0;
        questions = 0;
        limit = 1;
    }
}
