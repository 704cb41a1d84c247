package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;

/** Registered memory. What it has of the device is its {@link Regions}' to free. */
final class NativeRegion implements MemoryRegion {
    private enum State {
        VALID,
        ENDING,
        ENDED
    }

    private final Regions regions;
    private final ByteBuffer memory;
    private final int start;
    private final Access access;
    private final long address;
    private final long base;
    private final long length;
    private final boolean writable;

    private volatile State state = State.VALID;

    // set before it is handed out
    private long mr;
    private int lkey;
    private int tag;

    /** Null once it is gone. */
    private volatile Windows.Window window;

    /**
     * @param memory kept so that it outlives its registration
     * @param address of the first octet
     * @param base the address that the device gives to it
     */
    NativeRegion(
            Regions regions, ByteBuffer memory, Access access, long address, long base, long length, boolean writable) {
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

    /** @param newWindow through which, or null, where there is none or it is gone */
    void opened(int newTag, Windows.Window newWindow) {
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

    /** False where it was not valid any more. Else the caller frees what it has, and then calls {@link #ended}. */
    synchronized boolean end() {
        if (state != State.VALID) {
            return false;
        }
        state = State.ENDING;
        return true;
    }

    /** The peer reaches it no more. */
    synchronized void ended() {
        state = State.ENDED;
        notifyAll();
    }

    /** Waits for whoever ends it. */
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

    boolean isOf(Regions other) {
        return regions == other;
    }

    boolean isWritable() {
        return writable;
    }

    Access access() {
        return access;
    }

    /** Whether the octets lie in it; safe against overflow. */
    boolean contains(long offset, long count) {
        return offset >= 0 && count >= 0 && offset <= length - count;
    }

    /** The octets that the device may be told of, one where there are none. */
    long registeredLength() {
        return Math.max(length, 1);
    }

    /** The octets at that place, which lie in it. */
    ByteBuffer view(long offset, int count) {
        return memory.duplicate().clear().slice(start + (int) offset, count);
    }

    long address() {
        return address;
    }

    /** The address that the device gives to the first octet, locally too. */
    long base() {
        return base;
    }

    long mr() {
        return mr;
    }

    int lkey() {
        return lkey;
    }

    Windows.Window window() {
        return window;
    }

    @Override
    public String toString() {
        return access + " region of " + memory.capacity() + " octets";
    }
}
