package io.verbena.rpcrdma.dispatcher.internal.memory;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryRefusedException;
import io.verbena.memory.MemoryShare;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
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
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final MemoryShare share;
    private final List<MemoryRegion> regions = new ArrayList<>(4);
    private final List<BufferLease> pooled = new ArrayList<>(2);
    private final List<ByteBuffer> sinks = new ArrayList<>(2);
    private final List<ByteBuffer> landings = new ArrayList<>(2);
    private int[] tags = new int[4];
    private int tagCount;
    private ByteBuffer reply = NOTHING;

    public CallMemory(MemoryShare share) {
        this.share = share;
    }

    /** Starts a transmission; the steering tags of an earlier one are forgotten. */
    public void begin() {
        release();
        tagCount = 0;
    }

    /** Opens an argument's octets, from position to limit, to the peer's RDMA Reads. */
    public MemoryRegion exposeArgument(RdmaConnection connection, ByteBuffer data) throws RdmaException {
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

    /** Opens a sink, from position to limit, to the peer's RDMA Writes. */
    public MemoryRegion offerSink(RdmaConnection connection, ByteBuffer sink) throws RdmaException {
        boolean bounce = connection.requiresDirectMemory() && !sink.isDirect();
        ByteBuffer landing = bounce ? takePooled(sink.remaining()) : null;
        sinks.add(sink);
        landings.add(landing);
        return register(connection, bounce ? landing : sink, Access.REMOTE_WRITE);
    }

    /** Opens memory for the padding that a peer may write behind a sink's last octet. It is never read. */
    public MemoryRegion offerPadding(RdmaConnection connection, int octets) throws RdmaException {
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
        MemoryRegion region = connection.register(memory, access, RdmaConnection.MORE);
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
        sinks.clear();
        landings.clear();
        reply = NOTHING;
    }
}
