package io.verbena.rpcrdma.dispatcher.internal.memory;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.memory.RegisteredPool.RegisteredBuffer;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The memory that one call has open to the peer, from its encoding to its end. Reused for further calls. Not thread
 * safe: the thread that works on the call uses it.
 *
 * <pre>
 * state        regions     leased memory   leaves by
 * empty        none        none            an expose or offer
 * exposed      valid       held            fence, the peer's Send with Invalidate (one region), loss of the connection
 * fenced       invalid     held            release
 * after loss   invalid     held            release
 * </pre>
 */
public final class CallMemory {
    /** Up to so many octets, to copy them costs less than to register memory. */
    private static final int COPIED = 16 << 10;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final MemoryShare share;
    private final List<MemoryRegion> regions = new ArrayList<>(4);
    private final List<BufferLease> pooled = new ArrayList<>(2);
    private final List<RegisteredBuffer> kept = new ArrayList<>(2);
    private final List<ByteBuffer> sinks = new ArrayList<>(2);
    private final List<ByteBuffer> landings = new ArrayList<>(2);
    private int[] tags = new int[4];
    private int tagCount;
    private ByteBuffer reply = NOTHING;

    /** Where {@link #kept} is from. */
    private RegisteredPool registered;

    public CallMemory(MemoryShare share) {
        this.share = share;
    }

    /** Starts a transmission; the steering tags of an earlier one are forgotten. */
    public void begin() {
        release();
        tagCount = 0;
    }

    /**
     * Opens an argument's octets, from position to limit, to the peer's RDMA Reads.
     *
     * @param pool of memory that is registered already, which few octets are copied through; null where the device has
     *     no windows
     */
    public MemoryRegion exposeArgument(RdmaConnection connection, RegisteredPool pool, ByteBuffer data)
            throws RdmaException {
        RegisteredBuffer copy = take(pool, data.remaining());
        if (copy != null) {
            copy.view().put(0, data, data.position(), data.remaining());
            return bind(connection, copy, Access.REMOTE_READ);
        }
        ByteBuffer source = data;
        if (connection.requiresDirectMemory() && !data.isDirect()) {
            source = takePooled(data.remaining());
            source.put(0, data, data.position(), data.remaining());
        }
        return register(connection, source, Access.REMOTE_READ);
    }

    /**
     * Takes memory for a message that is exposed whole; {@link #release} gives it back.
     *
     * @throws RdmaException with {@link RdmaException.Kind#RESOURCES} where the budget has no memory now
     */
    public ByteBuffer takePooled(int bytes) throws RdmaException {
        try {
            BufferLease taken = share.lease(bytes);
            pooled.add(taken);
            return taken.buffer();
        } catch (MemoryRefusedException e) {
            throw TransportErrors.noMemory(e);
        }
    }

    /** Memory of the pool for few octets; null where they are many, or where there is no memory now. */
    private RegisteredBuffer take(RegisteredPool pool, int octets) throws RdmaException {
        RegisteredBuffer taken = pool == null || octets > COPIED ? null : pool.tryTake(octets);
        if (taken != null) {
            registered = pool;
            kept.add(taken);
        }
        return taken;
    }

    private MemoryRegion bind(RdmaConnection connection, RegisteredBuffer memory, Access access) throws RdmaException {
        return opened(connection.bind(memory.region(), 0, memory.view().capacity(), access, RdmaConnection.MORE));
    }

    /**
     * Opens a sink, from position to limit, to the peer's RDMA Writes.
     *
     * @param pool as for {@link #exposeArgument}
     */
    public MemoryRegion offerSink(RdmaConnection connection, RegisteredPool pool, ByteBuffer sink)
            throws RdmaException {
        RegisteredBuffer written = take(pool, sink.remaining());
        if (written != null) {
            sinks.add(sink);
            landings.add(written.view());
            return bind(connection, written, Access.REMOTE_WRITE);
        }
        boolean bounce = connection.requiresDirectMemory() && !sink.isDirect();
        ByteBuffer landing = bounce ? takePooled(sink.remaining()) : null;
        sinks.add(sink);
        landings.add(landing);
        return register(connection, bounce ? landing : sink, Access.REMOTE_WRITE);
    }

    /** Opens memory for the padding that a peer may write behind a sink's last octet. It is never read. */
    public MemoryRegion offerPadding(RdmaConnection connection, RegisteredPool pool, int octets) throws RdmaException {
        RegisteredBuffer written = take(pool, octets);
        if (written != null) {
            return bind(connection, written, Access.REMOTE_WRITE);
        }
        return register(connection, takePooled(octets), Access.REMOTE_WRITE);
    }

    /** Notes a sink without room, for which a Write chunk without segments stands. */
    public void offerNothing(ByteBuffer sink) {
        sinks.add(sink);
        landings.add(null);
    }

    /** Opens memory for a long reply to the peer's RDMA Writes. */
    public MemoryRegion offerReply(RdmaConnection connection, int bytes) throws RdmaException {
        reply = takePooled(bytes);
        return register(connection, reply, Access.REMOTE_WRITE);
    }

    public MemoryRegion register(RdmaConnection connection, ByteBuffer memory, Access access) throws RdmaException {
        return opened(connection.register(memory, access, RdmaConnection.MORE));
    }

    private MemoryRegion opened(MemoryRegion region) {
        regions.add(region);
        if (tagCount == tags.length) {
            tags = Arrays.copyOf(tags, tagCount * 2);
        }
        tags[tagCount++] = region.steeringTag();
        return region;
    }

    /** Whether a steering tag is, or was, one of the regions of this call. */
    public boolean ownsTag(int tag) {
        for (int i = 0; i < tagCount; i++) {
            if (tags[i] == tag) {
                return true;
            }
        }
        return false;
    }

    /** How many regions are open. */
    public int regions() {
        return regions.size();
    }

    /** Invalidates all regions. When this returns, the peer cannot change the memory any more. */
    public void fence() {
        for (int i = 0; i < regions.size(); i++) {
            regions.get(i).invalidate();
        }
        regions.clear();
    }

    /** Where the long reply landed. */
    public ByteBuffer reply() {
        return reply;
    }

    /** The sink of that number, as the caller of the RPC gave it. */
    public ByteBuffer sink(int index) {
        return sinks.get(index);
    }

    /** The leased memory that the peer wrote to instead of that sink, or null where it wrote to the sink itself. */
    public ByteBuffer landing(int index) {
        return landings.get(index);
    }

    /** Invalidates all regions, and gives the leases back. */
    public void release() {
        fence();
        for (int i = 0; i < pooled.size(); i++) {
            pooled.get(i).close();
        }
        pooled.clear();
        for (int i = 0; i < kept.size(); i++) {
            registered.give(kept.get(i));
        }
        kept.clear();
        registered = null;
        sinks.clear();
        landings.clear();
        reply = NOTHING;
    }
}
