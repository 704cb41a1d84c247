package io.verbena.rpcrdma.dispatcher.internal;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The slots of a requester and the XIDs of their calls. An XID's low bits are its slot's number, so that a reply finds
 * its call without a search; the bits above count on from a random start, so that the XID of a slot's next call is
 * another one. Guarded by the requester's lock.
 */
final class Slots {
    private final CallSlot[] slots;
    private final int[] free;
    private final int indexBits;
    private int freeCount;
    private int nextXid = ThreadLocalRandom.current().nextInt();

    /**
     * @param count 1 to {@link Requester#MAX_CALLS}
     */
    Slots(int count, DirectPool pool) {
        slots = new CallSlot[count];
        free = new int[count];
        indexBits = 32 - Integer.numberOfLeadingZeros(count - 1); // 0 for a single slot
        for (int i = 0; i < count; i++) {
            slots[i] = new CallSlot(i, pool);
            free[i] = count - 1 - i;
        }
        freeCount = count;
    }

    /** A free slot with a fresh XID. There is one: a requester has no more calls in flight than slots. */
    CallSlot take(PendingCall<?> call) {
        CallSlot slot = take();
        slot.call = call;
        call.slot = slot;
        return slot;
    }

    /** As {@link #take(PendingCall)}, for what is no call: a question, which nobody waits for. */
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

    /** The slot whose call was made first of those that wait to be sent again. */
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
