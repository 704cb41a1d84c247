package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.TransportHeader;

/**
 * What a call holds while the peer may know of it: an XID, a send buffer, a header and open memory. A requester has as
 * many as it may ever have calls in flight, and uses them again and again. All but {@link #header} and {@link #memory}
 * is guarded by the requester's lock.
 */
final class CallSlot {
    final int index;
    final TransportHeader header = new TransportHeader();
    final CallMemory memory;

    /** The XID of the call, or of the one given up. */
    int xid;

    /** The call, or null where the slot is free or {@link #abandoned}. */
    PendingCall<?> call;

    /** The call was given up; the peer still owes the reply, and the credit comes back with it. */
    boolean abandoned;

    /** The reply came while the call was being given up. */
    boolean settled;

    /** What was given up is no call, but the question of an optional operation: its answer is not due to anyone. */
    boolean question;

    CallSlot(int index, DirectPool pool) {
        this.index = index;
        memory = new CallMemory(pool);
    }
}
