package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.memory.MemoryShare;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.dispatcher.internal.memory.CallMemory;

/**
 * What a call holds while the peer may know of it: an XID, a send buffer, a header and open memory. A requester has as
 * many slots as it may ever have calls in flight, and reuses them. All fields but {@link #header} and {@link #memory}
 * are guarded by the lock of {@link CallTable}.
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

    /** The slot was taken by the question of an optional operation, which is no call: no call waits for its answer. */
    boolean question;

    CallSlot(int index, MemoryShare share) {
        this.index = index;
        memory = new CallMemory(share);
    }
}
