package io.verbena.verbs.selftest.internal;

import static io.verbena.verbs.selftest.internal.Message.GUARD;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.selftest.SelfTestOptions;
import java.util.concurrent.CompletableFuture;

/**
 * Transfers of one size with a fixed number outstanding: on each completion the handler posts the next transfer. All
 * warm-up transfers complete before the first measured one is posted.
 */
final class TransferStream implements Initiator.Measurement {
    private final Initiator end;
    private final Operation operation;
    private final OpenedMemory local;
    private final Message remote;
    private final int outstanding;
    private final long warmUpNanos;
    private final long nanos;
    private final long warmUpCount;
    private final long count;
    private final CompletableFuture<Long> result = new CompletableFuture<>();

    @GuardedBy("this")
    private long posted;

    @GuardedBy("this")
    private long completed;

    @GuardedBy("this")
    private boolean warm;

    @GuardedBy("this")
    private long from;

    @GuardedBy("this")
    private long to;

    /**
     * @param operation RDMA Write or RDMA Read
     * @param local the local memory of all transfers
     * @param remote the message that names the remote memory of all transfers
     */
    TransferStream(
            Initiator end,
            Operation operation,
            OpenedMemory local,
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
        count = options.count() == 0 ? Long.MAX_VALUE : options.count();
        warmUpCount = options.count() == 0 ? Long.MAX_VALUE : options.count() / 10 + 1;
    }

    /** Completes after the last transfer, with the number of measured transfers. */
    CompletableFuture<Long> result() {
        return result;
    }

    /** When the first of the measured transfers was posted, on the clock of {@link System#nanoTime}. */
    synchronized long measuredFrom() {
        return from;
    }

    /** When the last transfer completed. */
    synchronized long measuredTo() {
        return to;
    }

    synchronized void start() throws RdmaException {
        begin();
    }

    /** Begins the measurement with no transfer outstanding, so that no earlier transfer is counted. */
    @GuardedBy("this")
    private void begin() throws RdmaException {
        posted = 0;
        completed = 0;
        from = System.nanoTime();
        for (int i = 0; i < outstanding && more(from); i++) {
            post();
        }
    }

    @GuardedBy("this")
    private boolean more(long now) {
        return warm ? posted < count && now - from <= nanos : posted < warmUpCount && now - from <= warmUpNanos;
    }

    @GuardedBy("this")
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
            return; // the end of the connection tells the reason
        }
        completed++;
        to = System.nanoTime();
        if (more(to)) {
            post();
        } else if (completed == posted && warm) {
            result.complete(completed);
        } else if (completed == posted) {
            warm = true;
            begin();
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
