package io.verbena.verbs.iwarp.internal.memory;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.iwarp.internal.ThreadWaits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registered memory. A thread that moves octets calls {@link #enter} before each piece and {@link #leave} after it. A
 * piece is a copy or one call of a channel that does not block, so {@link #invalidate} waits only briefly, and never
 * for the peer.
 */
public final class Region implements MemoryRegion {
    /** The most views of a buffer in one gather write. */
    public static final int SEND_VIEWS = 32;

    private static final int INVALID = 1 << 31;

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

    /** The number of pieces that are being moved, and {@link #INVALID}. */
    private final AtomicInteger state = new AtomicInteger();

    /** Completed by the thread that moves the last piece of an invalid region. */
    private final CompletableFuture<Void> idle = new CompletableFuture<>();

    /** @param buffers slices that only this region uses */
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
        if (state.get() != INVALID) {
            ThreadWaits.untilDone(table.runtime(), idle);
        }
    }

    public Access access() {
        return access;
    }

    public boolean isWritable() {
        return writable;
    }

    public boolean isOf(RegionTable other) {
        return table == other;
    }

    /** Whether the range lies in the region; safe against overflow. */
    public boolean contains(long offset, long count) {
        return offset >= 0 && count >= 0 && offset <= length - count;
    }

    /** Starts to move octets of the region; returns false where the region is invalid. */
    public boolean enter() {
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

    /** Ends what {@link #enter} began. */
    public void leave() {
        if (state.decrementAndGet() == INVALID) {
            idle.complete(null); // no further piece begins
        }
    }

    /** The index of the buffer that holds an octet. */
    int segmentOf(long offset) {
        if (starts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(starts, offset);
        if (found < 0) {
            return -found - 2;
        }
        // an empty buffer has the same start as the next one: take the last of them
        while (found + 1 < starts.length && starts[found + 1] == offset) {
            found++;
        }
        return found;
    }

    /** The number of buffers that a range touches. */
    public int segmentsOf(long offset, int count) {
        return count == 0 ? 0 : segmentOf(offset + count - 1) - segmentOf(offset) + 1;
    }

    /** Copies octets of the region into {@code target}, whose position does not change. */
    public void copyOut(long offset, ByteBuffer target, int at, int count) {
        int done = 0;
        for (int i = count == 0 ? 0 : segmentOf(offset); done < count; i++) {
            int from = (int) (offset + done - starts[i]);
            int n = Math.min(count - done, buffers[i].limit() - from);
            target.put(at + done, buffers[i], from, n);
            done += n;
        }
    }

    /** Copies octets of {@code source}, whose position does not change, into the region. */
    public void copyIn(long offset, ByteBuffer source, int at, int count) {
        int done = 0;
        for (int i = count == 0 ? 0 : segmentOf(offset); done < count; i++) {
            int from = (int) (offset + done - starts[i]);
            int n = Math.min(count - done, buffers[i].limit() - from);
            buffers[i].put(from, source, at + done, n);
            done += n;
        }
    }

    /**
     * A view of {@code count} octets at most, from an offset to the end of the buffer that holds it. Receive thread
     * only.
     */
    public ByteBuffer receiveView(long offset, int count) {
        int i = segmentOf(offset);
        ByteBuffer view = receiveViews[i];
        if (view == null) {
            view = buffers[i].duplicate();
            receiveViews[i] = view;
        }
        return range(view, i, offset, count);
    }

    /** The same for the thread that owns the send side; the views of different {@code slot}s are independent. */
    public ByteBuffer sendView(long offset, int count, int slot) {
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
