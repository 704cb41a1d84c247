package io.verbena.rpcrdma.dispatcher.internal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What stands behind the fixed fields, and the direction, of an RDMA_MSG or RDMA_NOMSG that a peer of a test received
 * (RFC 8166 section 4.1).
 *
 * @param reply the segments of the Reply chunk, null where there is none
 * @param rpc what follows the lists
 */
record Chunks(List<Read> reads, List<List<Segment>> writes, List<Segment> reply, ByteBuffer rpc) {
    /** A piece of memory of the sender's. */
    record Segment(int handle, int length, long offset) {}

    /** An entry of the Read list. */
    record Read(int position, Segment target) {}

    /** Reads from the buffer's position to its end. */
    static Chunks of(ByteBuffer in) {
        List<Read> reads = new ArrayList<>();
        while (follows(in)) {
            reads.add(new Read(in.getInt(), segment(in)));
        }
        List<List<Segment>> writes = new ArrayList<>();
        while (follows(in)) {
            writes.add(segments(in));
        }
        List<Segment> reply = follows(in) ? segments(in) : null;
        return new Chunks(reads, writes, reply, in.slice());
    }

    private static boolean follows(ByteBuffer in) {
        int discriminator = in.getInt();
        if ((discriminator & ~1) != 0) {
            throw new AssertionError("optional data with a discriminator of " + discriminator);
        }
        return discriminator == 1;
    }

    private static List<Segment> segments(ByteBuffer in) {
        List<Segment> segments = new ArrayList<>();
        int count = in.getInt();
        while (segments.size() < count) {
            segments.add(segment(in));
        }
        return segments;
    }

    private static Segment segment(ByteBuffer in) {
        return new Segment(in.getInt(), in.getInt(), in.getLong());
    }

    /** The only segment of the only Write chunk. */
    Segment onlySink() {
        if (writes.size() != 1 || writes.get(0).size() != 1) {
            throw new AssertionError("not one Write chunk of one segment: " + writes);
        }
        return writes.get(0).get(0);
    }

    /** A word of what follows the lists. */
    int rpcWord(int index) {
        return rpc.getInt(4 * index);
    }
}
