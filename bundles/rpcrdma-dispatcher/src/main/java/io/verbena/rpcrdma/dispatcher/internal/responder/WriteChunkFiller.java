package io.verbena.rpcrdma.dispatcher.internal.responder;

import io.verbena.rpcrdma.SegmentList;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The RDMA Writes of one reply, in order, posted together with the Send that follows. Reused. */
final class WriteChunkFiller {
    private final List<MemoryRegion> regions = new ArrayList<>(4);
    private long[] offsets = new long[4];
    private int[] lengths = new int[4];
    private int[] tags = new int[4];
    private long[] remoteOffsets = new long[4];
    private long octets;

    void clear() {
        regions.clear();
        octets = 0;
    }

    int size() {
        return regions.size();
    }

    long octets() {
        return octets;
    }

    /**
     * Fills the segments of a chunk in order, and sets their lengths to the octets written (RFC 8166 section 3.4.6).
     *
     * @param chunk has room for {@code length} octets
     */
    void fill(SegmentList chunk, MemoryRegion region, long offset, int length) {
        int left = length;
        for (int i = 0; i < chunk.size(); i++) {
            int part = (int) Math.min(chunk.length(i), left);
            if (part > 0) {
                add(region, offset + length - left, part, chunk.handle(i), chunk.offset(i));
            }
            chunk.setLength(i, part);
            left -= part;
        }
    }

    private void add(MemoryRegion region, long offset, int length, int tag, long remoteOffset) {
        int index = regions.size();
        if (index == tags.length) {
            offsets = Arrays.copyOf(offsets, index * 2);
            lengths = Arrays.copyOf(lengths, index * 2);
            tags = Arrays.copyOf(tags, index * 2);
            remoteOffsets = Arrays.copyOf(remoteOffsets, index * 2);
        }
        regions.add(region);
        offsets[index] = offset;
        lengths[index] = length;
        tags[index] = tag;
        remoteOffsets[index] = remoteOffset;
        octets += length;
    }

    void post(RdmaConnection connection, long id) throws RdmaException {
        int flags = RdmaConnection.UNSIGNALED | RdmaConnection.MORE;
        for (int i = 0; i < regions.size(); i++) {
            connection.postWrite(id, regions.get(i), offsets[i], lengths[i], tags[i], remoteOffsets[i], flags);
        }
    }
}
