package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;

/** One place in the send queue, filled anew for each post. Guarded by the lock of the {@link Transmitter}. */
public final class WorkRequest {
    long id;
    Completion.Operation operation = Completion.Operation.SEND;
    /** The RDMAP opcode of the message. */
    int opcode;

    Region region;
    long offset;
    int length;
    /** The peer's steering tag, which is written to, read from or invalidated. */
    int remoteTag;

    long remoteOffset;
    boolean signaled;

    /** Of a read: the tag that its response must carry; the tagged offset starts at 0. */
    int sinkTag;
    /** Of a read: the octets that have arrived. */
    int received;
    /** Of a read: whether the response is complete. */
    boolean responded;

    /** @param flags those of {@link RdmaConnection}'s posts */
    void set(
            long newId,
            int newOpcode,
            Region newRegion,
            long newOffset,
            int newLength,
            int newRemoteTag,
            long newRemoteOffset,
            int flags,
            int newSinkTag) {
        id = newId;
        opcode = newOpcode;
        operation = newOpcode == Iwarp.WRITE
                ? Completion.Operation.RDMA_WRITE
                : newOpcode == Iwarp.READ_REQUEST ? Completion.Operation.RDMA_READ : Completion.Operation.SEND;
        region = newRegion;
        offset = newOffset;
        length = newLength;
        remoteTag = newRemoteTag;
        remoteOffset = newRemoteOffset;
        signaled = (flags & RdmaConnection.UNSIGNALED) == 0;
        received = 0;
        responded = false;
        sinkTag = newSinkTag;
    }

    boolean isRead() {
        return opcode == Iwarp.READ_REQUEST;
    }
}
