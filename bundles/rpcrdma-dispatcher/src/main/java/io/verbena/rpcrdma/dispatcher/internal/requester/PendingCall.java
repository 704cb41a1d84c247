package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpc.ReplyDecoder;
import io.verbena.rpc.RpcCall;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A call and its future. A thread that completes the future from outside (by {@code cancel}, {@code complete}, {@code
 * orTimeout} and the like) gives the call up: the future completes when the peer cannot reach the memory of the call
 * any more, not before.
 */
final class PendingCall<T> extends CompletableFuture<T> {
    /**
     * The state of a call. The lock of {@link CallTable} guards it.
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

    private final Owner owner;
    private final RpcCall message;
    private final ReplyDecoder<T> decoder;
    private volatile long deadline;

    /** The time when the call was made, on the runtime's clock. */
    final long madeNanos;

    /**
     * The time when the call was sent the last time. The thread that sends the call writes it; the thread that handles
     * the reply reads it.
     */
    long sentNanos;

    State state = State.WAITING;
    CallSlot slot;
    Connection connection;
    long sequence;
    boolean transmitted;
    Outcome ending;

    /** The requester of a call, as the call sees it. */
    interface Owner {
        /**
         * Ends a call before its reply: releases its memory, then completes its future. Any thread.
         *
         * @return false where the reply is being handled, or the call has ended or is being given up
         */
        boolean giveUp(PendingCall<?> call, Ending how);

        /** The future of a call is about to be completed. */
        void completed(PendingCall<?> call, Throwable failure);
    }

    /** The end of a call that is given up: a value, or a failure. */
    record Outcome(Object value, Throwable failure) {}

    /** Makes the end of a call that is given up, depending on whether the call went out. */
    @FunctionalInterface
    interface Ending {
        /**
         * @param sent whether the call went out, by this connection or an earlier one; if not, it never will
         */
        Outcome of(boolean sent);
    }

    PendingCall(Owner owner, RpcCall message, ReplyDecoder<T> decoder, long madeNanos, long deadline) {
        this.owner = owner;
        this.message = message;
        this.decoder = decoder;
        this.madeNanos = madeNanos;
        this.deadline = deadline;
    }

    RpcCall message() {
        return message;
    }

    ReplyDecoder<T> decoder() {
        return decoder;
    }

    /** The deadline, on the runtime's clock. */
    long deadline() {
        return deadline;
    }

    /** Sets the deadline, under the lock of {@link CallTable}. */
    void deadline(long later) {
        deadline = later;
    }

    /** Completes the future with a value. The call holds nothing any more. */
    void succeed(T value) {
        owner.completed(this, null);
        connection = null; // a program that keeps the future must not keep the memory of the connection reachable
        super.complete(value);
    }

    /** Completes the future with a failure. The call holds nothing any more. */
    void fail(Throwable failure) {
        owner.completed(this, failure);
        connection = null;
        super.completeExceptionally(failure);
    }

    /** Completes the future with the outcome of a call that was given up. */
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
        return owner.giveUp(this, sent -> new Outcome(null, failure));
    }

    @Override
    public boolean complete(T value) {
        return owner.giveUp(this, sent -> new Outcome(value, null));
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

    /** @throws UnsupportedOperationException always: the peer may reach the memory of the call */
    @Override
    public void obtrudeValue(T value) {
        throw obtruded();
    }

    /** @throws UnsupportedOperationException always: the peer may reach the memory of the call */
    @Override
    public void obtrudeException(Throwable failure) {
        throw obtruded();
    }

    private static UnsupportedOperationException obtruded() {
        return new UnsupportedOperationException("the peer may reach the memory of the call: cancel the call instead");
    }
}
