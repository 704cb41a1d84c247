package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Wants a slot, and keeps it until the test releases it. */
final class SlotKeeper implements SlotTable.Waiter {
    private final CompletableFuture<Slot> granted = new CompletableFuture<>();

    /** One that stands in line for a slot of that table. */
    static SlotKeeper of(SlotTable table) {
        SlotKeeper keeper = new SlotKeeper();
        table.acquire(keeper);
        return keeper;
    }

    /** Waits for it. */
    Slot slot() throws Exception {
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
    public IOException impatience() {
        return null;
    }

    @Override
    public void dismissed(Throwable why) {
        granted.completeExceptionally(why);
    }
}
