package io.verbena.verbs.selftest.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;

/**
 * Memory for one transfer between two guards.
 *
 * @param memory guard, transfer, guard
 * @param region the registered region of the memory
 * @param length the length of the transfer
 */
record OpenedMemory(ByteBuffer memory, MemoryRegion region, int length) {
    static OpenedMemory open(RdmaConnection connection, int length, Access access) throws RdmaException {
        ByteBuffer memory = ByteBuffer.allocateDirect(length + 2 * Message.GUARD);
        return new OpenedMemory(memory, connection.register(memory.duplicate(), access), length);
    }

    OpenedMemory fill(long seed) {
        Pattern.fill(memory, Message.GUARD, length, seed);
        return this;
    }

    boolean holds(long seed) {
        return Pattern.matchesGuarded(memory, length, seed);
    }

    boolean isUntouched() {
        return Pattern.isZero(memory, 0, memory.capacity());
    }

    /** The message that names the memory to the other end. */
    Message message(Message.Kind kind, long seed) {
        return new Message(kind, region.steeringTag(), length, region.remoteOffset() + Message.GUARD, seed);
    }
}
