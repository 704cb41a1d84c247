package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The memory that one call has open to the peer, from its encoding to its end. Reused; belongs to whoever works on the
 * call at the time.
 *
 * <pre>
 * state        regions     pooled memory   leaves by
 * empty        none        none            an expose or offer
 * exposed      valid       held            fence, the peer's Send with Invalidate (one region), loss of the connection
 * fenced       invalid     held            release
 * after loss   invalid     held            release
 * </pre>
 */
final class CallMemory {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final DirectPool pool;
    private final List<MemoryRegion> regions = new ArrayList<>(4);
    private final List<ByteBuffer> pooled = new ArrayList<>(2);
    private final List<ByteBuffer> sinks = new ArrayList<>(2);
    private final List<ByteBuffer> landings = new ArrayList<>(2);
    private int[] tags = new int[4];
    private int tagCount;
    private ByteBuffer reply = NOTHING;

    CallMemory(DirectPool pool) {
        this.pool = pool;
    }

    /** Starts anew: the tags of an earlier transmission are forgotten. */
    void begin() {
        release();
        tagCount = 0;
    }

    /** Opens an argument's octets, from position to limit, to the peer's RDMA Reads. */
    MemoryRegion exposeArgument(RdmaConnection connection, ByteBuffer data) throws RdmaException {
        ByteBuffer source = data;
        if (connection.requiresDirectMemory() && !data.isDirect()) {
            source = takePooled(data.remaining());
            source.put(0, data, data.position(), data.remaining());
        }
        return register(connection, source, Access.REMOTE_READ);
    }

    /** Memory of the pool for a message that is to be exposed whole. */
    ByteBuffer takePooled(int bytes) {
        ByteBuffer taken = pool.take(bytes);
        pooled.add(taken);
        return taken.limit(bytes);
    }

    /** Opens a sink, from position to limit, to the peer's RDMA Writes. */
    MemoryRegion offerSink(RdmaConnection connection, ByteBuffer sink) throws RdmaException {
        boolean bounce = connection.requiresDirectMemory() && !sink.isDirect();
        ByteBuffer landing = bounce ? takePooled(sink.remaining()) : null;
        sinks.add(sink);
        landings.add(landing);
        return register(connection, bounce ? landing : sink, Access.REMOTE_WRITE);
    }

    /** Opens memory that nobody looks at, for what the peer writes behind a sink's last octet. */
    MemoryRegion offerPadding(RdmaConnection connection, int octets) throws RdmaException {
        return register(connection, takePooled(octets), Access.REMOTE_WRITE);
    }

    /** Notes a sink without room, for which a Write chunk without segments stands. */
    void offerNothing(ByteBuffer sink) {
        sinks.add(sink);
        landings.add(null);
    }

    /** Opens memory for a long reply to the peer's RDMA Writes. */
    MemoryRegion offerReply(RdmaConnection connection, int bytes) throws RdmaException {
        reply = takePooled(bytes);
        return register(connection, reply, Access.REMOTE_WRITE);
    }

    MemoryRegion register(RdmaConnection connection, ByteBuffer memory, Access access) throws RdmaException {
        MemoryRegion region = connection.register(memory, access);
        regions.add(region);
        if (tagCount == tags.length) {
            tags = Arrays.copyOf(tags, tagCount * 2);
        }
        tags[tagCount++] = region.steeringTag();
        return region;
    }

    /** Whether a steering tag is, or was, one of this call's. */
    boolean ownsTag(int tag) {
        for (int i = 0; i < tagCount; i++) {
            if (tags[i] == tag) {
                return true;
            }
        }
        return false;
    }

    /** How many regions are open. */
    int regions() {
        return regions.size();
    }

    /** Takes all memory out of the peer's reach. When it returns nothing of it changes any more. */
    void fence() {
        for (int i = 0; i < regions.size(); i++) {
            regions.get(i).invalidate();
        }
        regions.clear();
    }

    /** Where the long reply landed. */
    ByteBuffer reply() {
        return reply;
    }

    /** The sink of that number, which the caller of the RPC gave. */
    ByteBuffer sink(int index) {
        return sinks.get(index);
    }

    /** The memory of the pool that the peer wrote to instead of that sink, or null where it wrote to the sink itself. */
    ByteBuffer landing(int index) {
        return landings.get(index);
    }

    /** Fences, and gives back what came from the pool. */
    void release() {
        fence();
        for (int i = 0; i < pooled.size(); i++) {
            pool.give(pooled.get(i));
        }
        pooled.clear();
        sinks.clear();
        landings.clear();
        reply = NOTHING;
    }
}
