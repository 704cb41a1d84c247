package io.verbena.verbs.iwarp.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The registered memory of one connection. The low bits of a steering tag are its slot in the table, so that a region
 * is found by one access. Tags are random among those whose slot is free. Any thread; {@link #find} takes no lock.
 */
public final class RegionTable {
    private static final int INITIAL_SIZE = 64;
    /** Far more than queues and credits allow at once, and far fewer than there are tags. */
    private static final int MAX_SIZE = 1 << 22;

    private final Runtime runtime;
    private final RandomNumbers random;
    private volatile AtomicReferenceArray<Region> slots = new AtomicReferenceArray<>(INITIAL_SIZE);

    @GuardedBy("this")
    private int used;

    @GuardedBy("this")
    private boolean closed;

    public RegionTable(Runtime runtime, RandomNumbers random) {
        this.runtime = runtime;
        this.random = random;
    }

    /**
     * Registers memory.
     *
     * @throws RdmaException DISCONNECTED after {@link #close}, which precedes the handler's {@code onDisconnected};
     *     RESOURCES where the table is full
     */
    public synchronized Region add(List<ByteBuffer> memory, Access access) throws RdmaException {
        ByteBuffer[] buffers = new ByteBuffer[memory.size()];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = memory.get(i).slice();
        }
        if (closed) {
            throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
        }
        if (access == Access.LOCAL) {
            return new Region(this, 0, 0, access, buffers);
        }
        if (used >= slots.length() / 2 && !grow()) {
            throw new RdmaException(Kind.RESOURCES, "no more memory can be registered with this connection");
        }
        int tag = freeTag();
        Region region = new Region(this, tag, random.nextLong() >>> 2, access, buffers);
        slots.set(tag & (slots.length() - 1), region);
        used++;
        return region;
    }

    @GuardedBy("this")
    private int freeTag() {
        for (; ; ) {
            int tag = random.nextInt();
            if (tag != 0 && slots.get(tag & (slots.length() - 1)) == null) {
                return tag;
            }
        }
    }

    @GuardedBy("this")
    private boolean grow() {
        int size = slots.length() * 2;
        if (size > MAX_SIZE) {
            return false;
        }
        AtomicReferenceArray<Region> larger = new AtomicReferenceArray<>(size);
        for (int i = 0; i < slots.length(); i++) {
            Region region = slots.get(i);
            if (region != null) {
                larger.set(region.steeringTag() & (size - 1), region);
            }
        }
        slots = larger;
        return true;
    }

    /** The valid region of that tag, or null. */
    public Region find(int tag) {
        AtomicReferenceArray<Region> table = slots;
        Region region = table.get(tag & (table.length() - 1));
        return region != null && region.steeringTag() == tag && region.isValid() ? region : null;
    }

    synchronized void remove(Region region) {
        int slot = region.steeringTag() & (slots.length() - 1);
        if (slots.get(slot) == region) {
            slots.set(slot, null);
            used--;
        }
    }

    Runtime runtime() {
        return runtime;
    }

    public synchronized int size() {
        return used;
    }

    /** Invalidates all regions and refuses new ones. */
    public void close() {
        AtomicReferenceArray<Region> last;
        synchronized (this) {
            closed = true;
            last = slots;
        }
        for (int i = 0; i < last.length(); i++) {
            Region region = last.get(i);
            if (region != null) {
                region.invalidate();
            }
        }
    }
}
