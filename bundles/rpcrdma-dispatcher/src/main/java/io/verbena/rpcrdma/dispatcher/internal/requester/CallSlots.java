package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.memory.MemoryShare;
import java.util.BitSet;

/**
 * The slots of a requester, and the XIDs of their calls. The present connection has room for the first of them, and the
 * lowest free one is taken. The low bits of an XID are the number of the slot, so that a
 * reply finds its call without a search; the bits above count from a random start, so that the next call of a slot has
 * another XID. Guarded by the lock of {@link CallTable}.
 */
final class CallSlots {
    private final CallSlot[] slots;
    private final BitSet free;
    private final int indexBits;
    private int room;
    private int nextXid;

    /**
     * @param count 1 to {@link Requester#MAX_CALLS}
     * @param firstXid a random number, from which the XIDs count
     */
    CallSlots(int count, int firstXid, MemoryShare memory) {
        nextXid = firstXid;
        slots = new CallSlot[count];
        free = new BitSet(count);
        free.set(0, count);
        indexBits = 32 - Integer.numberOfLeadingZeros(count - 1); // 0 for a single slot
        for (int i = 0; i < count; i++) {
            slots[i] = new CallSlot(i, memory);
        }
    }

    /** Sets how many slots the connection has room for. */
    void room(int newRoom) {
        room = newRoom;
    }

    /** Whether the slot that comes next is there, but the connection has no room for it. */
    boolean lacksRoom(boolean resend) {
        CallSlot oldest = resend ? oldestToResend() : null;
        int next = oldest == null ? free.nextSetBit(0) : oldest.index;
        return next >= room;
    }

    /** The least room in which every slot that is taken has its place. */
    int taken() {
        return free.previousClearBit(slots.length - 1) + 1;
    }

    /** Takes a free slot, with a fresh XID. There is one: a requester has no more calls in flight than slots. */
    CallSlot take(PendingCall<?> call) {
        CallSlot slot = take();
        slot.call = call;
        call.slot = slot;
        return slot;
    }

    /** As {@link #take(PendingCall)}, for the question of an optional operation. */
    CallSlot takeForQuestion() {
        CallSlot slot = take();
        slot.question = true;
        slot.abandoned = true;
        return slot;
    }

    private CallSlot take() {
        CallSlot slot = slots[free.nextSetBit(0)];
        free.clear(slot.index);
        slot.xid = nextXid++ << indexBits | slot.index;
        slot.abandoned = false;
        slot.settled = false;
        slot.question = false;
        return slot;
    }

    void free(CallSlot slot) {
        slot.call = null;
        slot.abandoned = false;
        free.set(slot.index);
    }

    /** Whether there is a free slot that the connection has room for. */
    boolean hasFree() {
        int lowest = free.nextSetBit(0);
        return lowest >= 0 && lowest < room;
    }

    /** The slot whose call, outstanding or given up, has that XID; null where there is none. */
    CallSlot find(int xid) {
        int index = xid & (1 << indexBits) - 1;
        if (index >= slots.length) {
            return null;
        }
        CallSlot slot = slots[index];
        return slot.xid == xid && (slot.call != null || slot.abandoned) ? slot : null;
    }

    int size() {
        return slots.length;
    }

    CallSlot get(int index) {
        return slots[index];
    }

    /** The slot of the oldest call that waits to be sent again, null where there is none. */
    CallSlot oldestToResend() {
        CallSlot oldest = null;
        for (CallSlot slot : slots) {
            boolean waits = slot.call != null && slot.call.state == PendingCall.State.RESEND;
            if (waits && (oldest == null || slot.call.sequence < oldest.call.sequence)) {
                oldest = slot;
            }
        }
        return oldest;
    }
}
