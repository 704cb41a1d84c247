package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * A call and its future. Whoever completes the future from outside (by {@code cancel}, {@code complete},
 * {@code orTimeout} and the like) gives the call up: the future completes when the call's memory is out of the peer's
 * reach, not before.
 */
final class PendingCall<T> extends CompletableFuture<T> {
    /**
     * What a call is doing. The requester's lock guards it.
     *
     * <pre>
     * state       holds               given up                    connection lost
     * WAITING     nothing             leaves the queue            stays
     * SENDING     slot, credit        the sender does it          the sender makes it RESEND
     * SENT        slot, credit        ENDING                      RESEND
     * COMPLETING  slot, credit        too late                    stays: its reply is there
     * ENDING      slot, credit        too late                    goes on; the slot becomes free
     * RESEND      slot (XID), no      frees the slot              stays
     *             credit, no memory
     * DONE        nothing; the slot stays {@linkplain CallSlot#abandoned abandoned} where the peer still owes the reply
     * </pre>
     */
    enum State {
        /** In the queue, without an XID. */
        WAITING,
        /** A thread encodes it. */
        SENDING,
        /** Posted: the peer may answer at any time. */
        SENT,
        /** The receive thread works on its reply. */
        COMPLETING,
        /** A thread fences its memory in order to give it up. */
        ENDING,
        /** Its connection was lost: it waits to be sent again with the same XID. */
        RESEND,
        /** The future is, or is about to be, complete. */
        DONE
    }

    private final Requester requester;
    private final RpcCall message;
    private final ReplyDecoder<T> decoder;
    private volatile long deadline;

    /** When it was made, on the clock of {@link System#nanoTime}. */
    final long madeNanos = System.nanoTime();

    /** When it was sent the last time: its sender's, then that of who has its reply. */
    long sentNanos;

    State state = State.WAITING;
    CallSlot slot;
    Connection connection;
    long sequence;
    boolean transmitted;
    Outcome ending;

    /** How a call ends that is given up: with a value, or with a failure. */
    record Outcome(Object value, Throwable failure) {}

    /** The same, where it makes a difference whether the call had gone out. */
    @FunctionalInterface
    interface Ending {
        /**
         * @param sent whether it went out, by this connection or an earlier one; it will not any more
         */
        Outcome of(boolean sent);
    }

    PendingCall(Requester requester, RpcCall message, ReplyDecoder<T> decoder, long deadline) {
        this.requester = requester;
        this.message = message;
        this.decoder = decoder;
        this.deadline = deadline;
    }

    RpcCall message() {
        return message;
    }

    ReplyDecoder<T> decoder() {
        return decoder;
    }

    /** On the clock of {@link System#nanoTime}. */
    long deadline() {
        return deadline;
    }

    /** Under the requester's lock. */
    void deadline(long later) {
        deadline = later;
    }

    /** Completes the future; the call holds nothing any more. */
    void succeed(T value) {
        requester.events().completed(this, null);
        connection = null; // whoever keeps the future does not keep the connection's memory by it
        super.complete(value);
    }

    /** Completes the future; the call holds nothing any more. */
    void fail(Throwable failure) {
        requester.events().completed(this, failure);
        connection = null;
        super.completeExceptionally(failure);
    }

    /** Completes the future as it was given up. */
    @SuppressWarnings("unchecked") // the value came from this object's own complete(T)
    void end(Outcome outcome) {
        if (outcome.failure() != null) {
            fail(outcome.failure());
        } else {
            succeed((T) outcome.value());
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return completeExceptionally(new CancellationException("the call was cancelled")) || isCancelled();
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return requester.giveUp(this, sent -> new Outcome(null, failure));
    }

    @Override
    public boolean complete(T value) {
        return requester.giveUp(this, sent -> new Outcome(value, null));
    }
}
