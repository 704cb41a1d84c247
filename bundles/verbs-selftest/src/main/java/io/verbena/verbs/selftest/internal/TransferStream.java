package io.verbena.verbs.selftest.internal;

import static io.verbena.verbs.selftest.internal.Message.GUARD;

import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.SelfTestOptions;
import java.util.concurrent.CompletableFuture;

/** Transfers of one size, a fixed number outstanding: each completion has the handler post the next. */
final class TransferStream implements Initiator.Measurement {
    private final Initiator end;
    private final Operation operation;
    private final Opened local;
    private final Message remote;
    private final int outstanding;
    private final long most;
    private final long warmUp;
    private final long warmUpNanos;
    private final long nanos;
    private final CompletableFuture<Long> result = new CompletableFuture<>();

    // guarded by this
    private long posted;
    private long completed;
    private long began;
    private long warmAt;
    private long measuredFrom;
    private long measuredTo;
    private boolean stopping;

    /**
     * @param operation RDMA Write or RDMA Read
     * @param local what is written from or read into, by all transfers alike
     * @param remote names what is written to or read from, by all transfers alike
     */
    TransferStream(
            Initiator end,
            Operation operation,
            Opened local,
            Message remote,
            int outstanding,
            SelfTestOptions options) {
        this.end = end;
        this.operation = operation;
        this.local = local;
        this.remote = remote;
        this.outstanding = outstanding;
        nanos = options.time().toNanos();
        warmUpNanos = nanos / 10;
        warmUp = options.count() == 0 ? Long.MAX_VALUE : options.count() / 10;
        most = options.count() == 0 ? Long.MAX_VALUE : options.count() + warmUp;
    }

    /** When the last transfer has completed: how many were measured. */
    CompletableFuture<Long> result() {
        return result;
    }

    /** When the measurement began, on the clock of {@link System#nanoTime}. */
    synchronized long measuredFrom() {
        return measuredFrom;
    }

    /** When the last transfer completed. */
    synchronized long measuredTo() {
        return measuredTo;
    }

    synchronized void start() throws RdmaException {
        began = System.nanoTime();
        measuredFrom = began;
        warmAt = warmUp == 0 ? 0 : -1;
        for (int i = 0; i < outstanding && posted < most; i++) {
            post();
        }
    }

    private void post() throws RdmaException {
        int length = local.length();
        if (operation == Operation.RDMA_WRITE) {
            end.connection().postWrite(posted, local.region(), GUARD, length, remote.tag(), remote.offset(), 0);
        } else {
            end.connection().postRead(posted, local.region(), GUARD, length, remote.tag(), remote.offset(), 0);
        }
        posted++;
    }

    @Override
    public synchronized void onTransfer(Completion completion) throws RdmaException {
        if (completion.status() != Completion.Status.SUCCESS) {
            return; // the connection ends, which says why
        }
        completed++;
        measuredTo = System.nanoTime();
        long elapsed = measuredTo - began;
        if (warmAt >= 0) {
            stopping = stopping || elapsed > warmUpNanos + nanos;
        } else if (completed < most && (completed >= warmUp || elapsed >= warmUpNanos)) {
            warmAt = completed;
            measuredFrom = measuredTo;
        }
        if (!stopping && posted < most) {
            post();
        } else if (completed == posted) {
            result.complete(completed - warmAt);
        }
    }

    @Override
    public void onMessage(byte first) throws RdmaException {
        throw Message.protocol("the other end has sent a message that was not asked for");
    }

    @Override
    public void onEnd(RdmaException cause) {
        result.completeExceptionally(cause);
    }
}
