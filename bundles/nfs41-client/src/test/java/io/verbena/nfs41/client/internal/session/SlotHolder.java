package io.verbena.nfs41.client.internal.session;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Wants a slot, and keeps it until the test releases it. */
public final class SlotHolder implements SlotTable.Waiter {
    private final CompletableFuture<Slot> granted = new CompletableFuture<>();

    /** One that stands in line for a slot of that table. */
    public static SlotHolder of(SlotTable table) {
        SlotHolder keeper = new SlotHolder();
        table.acquire(keeper);
        return keeper;
    }

    /** Waits for it. */
    public Slot slot() throws Exception {
        return granted.get(20, TimeUnit.SECONDS);
    }

    @Override
    public void granted(Slot slot) {
        granted.complete(slot);
    }

    @Override
    public void refused() {
        granted.completeExceptionally(new IllegalStateException("the session is gone"));
    }

    @Override
    public long sinceNanos() {
        return System.nanoTime();
    }

    @Override
    public IOException giveUpReason() {
        return null;
    }

    @Override
    public void dismissed(Throwable why) {
        granted.completeExceptionally(why);
    }
}
