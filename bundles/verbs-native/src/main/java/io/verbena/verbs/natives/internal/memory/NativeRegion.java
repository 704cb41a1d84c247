package io.verbena.verbs.natives.internal.memory;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/** Registered memory. Its {@link RegionTable} frees its resources of the device. */
public final class NativeRegion implements MemoryRegion {
    private enum State {
        VALID,
        ENDING,
        ENDED
    }

    private final RegionTable regions;
    private final ByteBuffer memory;
    private final int start;
    private final Access access;
    private final long address;
    private final long base;
    private final long length;
    private final boolean writable;

    private volatile State state = State.VALID;

    // set before the region is given to the user
    private long mr;
    private int lkey;
    private int tag;

    /** The bound window; null once that is destroyed or reused. */
    private volatile MemoryWindows.Window window;

    /**
     * @param memory kept so that the memory outlives its registration
     * @param address the address of the first octet
     * @param base the address of the first octet for the device
     */
    public NativeRegion(
            RegionTable regions,
            ByteBuffer memory,
            Access access,
            long address,
            long base,
            long length,
            boolean writable) {
        this.regions = regions;
        this.memory = memory;
        start = memory.position();
        this.access = access;
        this.address = address;
        this.base = base;
        this.length = length;
        this.writable = writable;
    }

    void registered(long newMr, int newLkey) {
        mr = newMr;
        lkey = newLkey;
    }

    /** @param newWindow the window that opens the memory; null where there is none any more */
    void opened(int newTag, MemoryWindows.Window newWindow) {
        tag = newTag;
        window = newWindow;
    }

    @Override
    public int steeringTag() {
        return tag;
    }

    @Override
    public long remoteOffset() {
        return access == Access.LOCAL ? 0 : base;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isValid() {
        return state == State.VALID;
    }

    @Override
    public void invalidate() {
        regions.invalidate(this);
    }

    /**
     * Begins the end. Returns false where the region was not valid; else the caller frees its resources and then calls
     * {@link #ended}.
     */
    synchronized boolean end() {
        if (state != State.VALID) {
            return false;
        }
        state = State.ENDING;
        return true;
    }

    /** Notes that the peer cannot reach the memory any more. */
    synchronized void ended() {
        state = State.ENDED;
        notifyAll();
    }

    /** Waits until the thread that ends the region has called {@link #ended}. */
    synchronized void awaitEnded() {
        boolean interrupted = false;
        while (state != State.ENDED) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean isOf(RegionTable other) {
        return regions == other;
    }

    public boolean isWritable() {
        return writable;
    }

    Access access() {
        return access;
    }

    /** Whether the range lies in the region; safe against overflow. */
    public boolean contains(long offset, long count) {
        return offset >= 0 && count >= 0 && offset <= length - count;
    }

    /** The length that is registered with the device: 1 where the region is empty. */
    long registeredLength() {
        return Math.max(length, 1);
    }

    /** A view of that range, which must lie in the region. */
    public ByteBuffer view(long offset, int count) {
        return memory.duplicate().clear().slice(start + (int) offset, count);
    }

    public long address() {
        return address;
    }

    /** The address of the first octet for the device, in local requests too. */
    public long base() {
        return base;
    }

    long mr() {
        return mr;
    }

    public int lkey() {
        return lkey;
    }

    MemoryWindows.Window window() {
        return window;
    }

    @Override
    public String toString() {
        return access + " region of " + memory.capacity() + " octets";
    }
}
