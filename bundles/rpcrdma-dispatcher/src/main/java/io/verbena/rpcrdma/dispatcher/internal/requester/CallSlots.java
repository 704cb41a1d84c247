package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.memory.MemoryShare;

/**
 * The slots of a requester, and the XIDs of their calls. The low bits of an XID are the number of the slot, so that a
 * reply finds its call without a search; the bits above count from a random start, so that the next call of a slot has
 * another XID. Guarded by the lock of {@link CallTable}.
 */
final class CallSlots {
    private final CallSlot[] slots;
    private final int[] free;
    private final int indexBits;
    private int freeCount;
    private int nextXid;

    /**
     * @param count 1 to {@link Requester#MAX_CALLS}
     * @param firstXid a random number, from which the XIDs count
     */
    CallSlots(int count, int firstXid, MemoryShare memory) {
        nextXid = firstXid;
        slots = new CallSlot[count];
        free = new int[count];
        indexBits = 32 - Integer.numberOfLeadingZeros(count - 1); // 0 for a single slot
        for (int i = 0; i < count; i++) {
            slots[i] = new CallSlot(i, memory);
            free[i] = count - 1 - i;
        }
        freeCount = count;
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
        CallSlot slot = slots[free[--freeCount]];
        slot.xid = nextXid++ << indexBits | slot.index;
        slot.abandoned = false;
        slot.settled = false;
        slot.question = false;
        return slot;
    }

    void free(CallSlot slot) {
        slot.call = null;
        slot.abandoned = false;
        free[freeCount++] = slot.index;
    }

    boolean hasFree() {
        return freeCount > 0;
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

    /** The slot of the oldest call that waits to be sent again. */
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
