package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The memory of one connection. A tag's low bits are its place in the table, so that to find a region takes one
 * look; apart from falling on a free place a tag is random. Any thread; finding takes no lock.
 */
final class RegionTable {
    private static final int INITIAL_SIZE = 64;
    /** Far over what queues and credits let live at once, and well under the range that tags are drawn from. */
    private static final int MAX_SIZE = 1 << 22;

    private final RandomNumbers random;
    private volatile AtomicReferenceArray<Region> slots = new AtomicReferenceArray<>(INITIAL_SIZE);
    private int used;
    private boolean closed;

    RegionTable(RandomNumbers random) {
        this.random = random;
    }

    /**
     * Registers memory.
     *
     * @throws RdmaException DISCONNECTED after {@link #close}, which comes before the handler is told of the end;
     *     RESOURCES when there is no room
     */
    synchronized Region add(List<ByteBuffer> memory, Access access) throws RdmaException {
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

    private int freeTag() {
        for (; ; ) {
            int tag = random.nextInt();
            if (tag != 0 && slots.get(tag & (slots.length() - 1)) == null) {
                return tag;
            }
        }
    }

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

    /** The region of that tag, or null. */
    Region find(int tag) {
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

    synchronized int size() {
        return used;
    }

    /** Invalidates all and takes no more. */
    void close() {
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
