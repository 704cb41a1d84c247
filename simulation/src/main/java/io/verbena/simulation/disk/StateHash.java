package io.verbena.simulation.disk;

import java.nio.ByteBuffer;

/** A hash of 64 bits, the same on each machine and in each run. */
final class StateHash {
    private static final long FACTOR = 0x9e3779b97f4a7c15L;

    private long state = 1;

    StateHash add(long value) {
        state = (state ^ value) * FACTOR;
        state ^= state >>> 29;
        return this;
    }

    /** @param octets null counts as other than none */
    StateHash add(byte[] octets) {
        if (octets == null) {
            return add(-1);
        }
        add(octets.length);
        ByteBuffer left = ByteBuffer.wrap(octets);
        while (left.remaining() >= Long.BYTES) {
            add(left.getLong());
        }
        while (left.hasRemaining()) {
            add(left.get());
        }
        return this;
    }

    long value() {
        return state;
    }
}
