package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Registered memory. The threads that move octets bracket each piece with {@link #enter} and {@link #leave}; a piece is
 * a copy or one call of a channel that does not block, so {@link #invalidate} has little to wait for: it never waits
 * for the peer.
 */
final class Region implements MemoryRegion {
    /** Views of a buffer that one gather write may use at once. */
    static final int SEND_VIEWS = 32;

    private static final int INVALID = 1 << 31;
    private static final long FENCE_POLL_NANOS = 5_000;

    private final RegionTable table;
    private final int tag;
    private final long base;
    private final long length;
    private final Access access;
    private final boolean writable;
    private final ByteBuffer[] buffers;
    private final long[] starts;
    private final ByteBuffer[] receiveViews;
    private final ByteBuffer[][] sendViews;

    /** The brackets that are open, and {@link #INVALID}. */
    private final AtomicInteger state = new AtomicInteger();

    /** @param buffers slices of their own, which nobody else moves */
    Region(RegionTable table, int tag, long base, Access access, ByteBuffer[] buffers) {
        this.table = table;
        this.tag = tag;
        this.base = base;
        this.access = access;
        this.buffers = buffers;
        starts = new long[buffers.length];
        long sum = 0;
        boolean allWritable = true;
        for (int i = 0; i < buffers.length; i++) {
            starts[i] = sum;
            sum += buffers[i].limit();
            allWritable &= !buffers[i].isReadOnly();
        }
        length = sum;
        writable = allWritable;
        receiveViews = new ByteBuffer[buffers.length];
        sendViews = new ByteBuffer[buffers.length][];
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
        return state.get() >= 0;
    }

    @Override
    public void invalidate() {
        int before = state.getAndUpdate(s -> s | INVALID);
        if (before >= 0) {
            table.remove(this);
        }
        while (state.get() != INVALID) {
            LockSupport.parkNanos(FENCE_POLL_NANOS);
        }
    }

    Access access() {
        return access;
    }

    boolean isWritable() {
        return writable;
    }

    boolean isOf(RegionTable other) {
        return table == other;
    }

    /** Whether the octets lie in it; safe against overflow. */
    boolean contains(long offset, long count) {
        return offset >= 0 && count >= 0 && offset <= length - count;
    }

    /** Starts to move octets of it; false when it is invalid. */
    boolean enter() {
        for (; ; ) {
            int s = state.get();
            if (s < 0) {
                return false;
            }
            if (state.compareAndSet(s, s + 1)) {
                return true;
            }
        }
    }

    void leave() {
        state.decrementAndGet();
    }

    /** The buffer that holds an octet. */
    int segmentOf(long offset) {
        if (starts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(starts, offset);
        if (found < 0) {
            return -found - 2;
        }
        // empty buffers share their start with the one behind: take the last
        while (found + 1 < starts.length && starts[found + 1] == offset) {
            found++;
        }
        return found;
    }

    /** How many buffers a range touches. */
    int segmentsOf(long offset, int count) {
        return count == 0 ? 0 : segmentOf(offset + count - 1) - segmentOf(offset) + 1;
    }

    /** Copies octets of it into {@code target}, whose position does not move. */
    void copyOut(long offset, ByteBuffer target, int at, int count) {
        int done = 0;
        for (int i = count == 0 ? 0 : segmentOf(offset); done < count; i++) {
            int from = (int) (offset + done - starts[i]);
            int n = Math.min(count - done, buffers[i].limit() - from);
            target.put(at + done, buffers[i], from, n);
            done += n;
        }
    }

    /** Copies octets of {@code source}, whose position does not move, into it. */
    void copyIn(long offset, ByteBuffer source, int at, int count) {
        int done = 0;
        for (int i = count == 0 ? 0 : segmentOf(offset); done < count; i++) {
            int from = (int) (offset + done - starts[i]);
            int n = Math.min(count - done, buffers[i].limit() - from);
            buffers[i].put(from, source, at + done, n);
            done += n;
        }
    }

    /** The octets from an offset to the end of the buffer it is in, {@code count} at most, for the receive thread. */
    ByteBuffer receiveView(long offset, int count) {
        int i = segmentOf(offset);
        ByteBuffer view = receiveViews[i];
        if (view == null) {
            view = buffers[i].duplicate();
            receiveViews[i] = view;
        }
        return range(view, i, offset, count);
    }

    /** The same for the owner of the send side; the views of different {@code slot}s are independent. */
    ByteBuffer sendView(long offset, int count, int slot) {
        int i = segmentOf(offset);
        if (sendViews[i] == null) {
            sendViews[i] = new ByteBuffer[SEND_VIEWS];
        }
        ByteBuffer view = sendViews[i][slot];
        if (view == null) {
            view = buffers[i].duplicate();
            sendViews[i][slot] = view;
        }
        return range(view, i, offset, count);
    }

    private ByteBuffer range(ByteBuffer view, int segment, long offset, int count) {
        int from = (int) (offset - starts[segment]);
        int end = (int) Math.min(view.capacity(), (long) from + count);
        return view.limit(end).position(from);
    }
}
