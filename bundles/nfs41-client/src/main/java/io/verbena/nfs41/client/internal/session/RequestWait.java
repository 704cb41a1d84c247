package io.verbena.nfs41.client.internal.session;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs41.client.internal.util.OperationWait;
import java.io.IOException;

/** One wait of a request of an operation that has borrowed a buffer, also in the line for a slot. */
final class RequestWait extends OperationWait<RequestExecution<?>> implements SlotTable.Waiter {
    private final long sinceNanos;
    private SlotTable line;

    RequestWait(RequestExecution<?> request, BorrowingFuture<?> operation) {
        super(request, operation);
        this.sinceNanos = request.sinceNanos();
    }

    /** Waits in line for a slot. */
    void in(SlotTable slots) {
        line = slots;
        slots.acquire(this);
        offer();
    }

    @Override
    protected void left() {
        if (line != null) {
            boolean unused = line.withdraw(this);
        }
    }

    @Override
    public void granted(Slot slot) {
        RequestExecution<?> request = end();
        if (request == null) {
            line.release(slot);
        } else {
            request.granted(slot);
        }
    }

    @Override
    public void refused() {
        RequestExecution<?> request = end();
        if (request != null) {
            request.refused();
        }
    }

    @Override
    public long sinceNanos() {
        return sinceNanos;
    }

    @Override
    public IOException giveUpReason() {
        RequestExecution<?> request = step();
        return request == null ? null : request.giveUpReason();
    }

    @Override
    public void dismissed(Throwable why) {
        RequestExecution<?> request = end();
        if (request != null) {
            request.dismissed(why);
        }
    }
}
