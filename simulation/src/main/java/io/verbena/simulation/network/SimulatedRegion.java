package io.verbena.simulation.network;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Registered memory of one end. */
final class SimulatedRegion implements MemoryRegion {
    private final SimulatedConnection owner;
    private final int tag;
    private final long base;
    private final Access access;
    private final List<ByteBuffer> memory = new ArrayList<>();
    private final long length;
    private boolean valid = true;

    SimulatedRegion(SimulatedConnection owner, int tag, long base, Access access, List<ByteBuffer> buffers) {
        this.owner = owner;
        this.tag = tag;
        this.base = base;
        this.access = access;
        long sum = 0;
        for (ByteBuffer each : buffers) {
            memory.add(each.slice());
            sum += each.remaining();
        }
        length = sum;
    }

    @Override
    public int steeringTag() {
        return tag;
    }

    @Override
    public long remoteOffset() {
        return base;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public void invalidate() {
        valid = false;
        owner.forget(this);
    }

    void end() {
        valid = false;
    }

    boolean isLocal(SimulatedConnection end, long offset, long octets) {
        return owner == end && offset >= 0 && octets >= 0 && offset + octets <= length;
    }

    boolean allows(Access wanted, long remote, long octets) {
        long offset = remote - base;
        return valid && access == wanted && offset >= 0 && octets >= 0 && offset + octets <= length;
    }

    byte[] get(long offset, int octets) {
        byte[] copy = new byte[octets];
        move(offset, octets, (buffer, at, done, count) -> buffer.get(at, copy, done, count));
        return copy;
    }

    void put(long offset, byte[] octets, int count) {
        move(offset, count, (buffer, at, done, part) -> buffer.put(at, octets, done, part));
    }

    /** Moves a part of one buffer. */
    private interface Move {
        void move(ByteBuffer buffer, int at, int done, int count);
    }

    private void move(long offset, int octets, Move move) {
        long skip = offset;
        int done = 0;
        for (ByteBuffer each : memory) {
            if (done == octets) {
                return;
            }
            if (skip >= each.limit()) {
                skip -= each.limit();
                continue;
            }
            int count = (int) Math.min(octets - done, each.limit() - skip);
            move.move(each, (int) skip, done, count);
            done += count;
            skip = 0;
        }
    }
}
