package io.verbena.nfs41.client.internal.session;

import java.io.IOException;

/** Wants a slot, and notes what it is told. */
final class SlotWaiter implements SlotTable.Waiter {
    private static final int NONE = -1;

    private Slot slot;
    private int answers;

    /** One that stands in line for a slot of that table. */
    static SlotWaiter of(SlotTable table) {
        SlotWaiter want = new SlotWaiter();
        table.acquire(want);
        return want;
    }

    /** The slot that the request got, or null. */
    synchronized Slot slot() {
        return slot;
    }

    /** The number of that slot, or -1. */
    synchronized int id() {
        return slot == null ? NONE : slot.id();
    }

    /** The number of answers that the request got. */
    synchronized int answers() {
        return answers;
    }

    @Override
    public synchronized void granted(Slot given) {
        slot = given;
        answers++;
    }

    @Override
    public synchronized void refused() {
        answers++;
    }

    @Override
    public long sinceNanos() {
        return 0;
    }

    @Override
    public IOException giveUpReason() {
        return new IOException("it waits no longer");
    }

    @Override
    public synchronized void dismissed(Throwable why) {
        answers++;
    }
}
