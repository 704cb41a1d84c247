package io.verbena.rpcrdma.dispatcher.internal.responder;

import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.ReadList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.rpcrdma.dispatcher.internal.connection.DirectionClassifier;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import io.verbena.xdr.DataItem;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where the octets of a call's Read list go: each Read chunk, its segments joined in list order, gets a part of one
 * piece of memory, followed by room for the padding that the chunk may leave out (RFC 8166 section 3.4.5). Reused.
 */
final class ReadPlan {
    /** The most Read chunks of one call: more data items than any procedure has. */
    static final int MAX_CHUNKS = 64;

    private final long[] positions = new long[MAX_CHUNKS];
    private final int[] lengths = new int[MAX_CHUNKS];
    private final int[] starts = new int[MAX_CHUNKS];
    private int[] targets = new int[8];
    private int count;
    private int total;
    private int reads;

    /**
     * Plans from the lengths that a peer claims.
     *
     * @param budget the most octets that may be pulled
     * @param maxRead the most octets of one RDMA Read
     * @param maxReads the most RDMA Reads of one call
     * @return false for a list that must not be pulled
     */
    boolean make(TransportHeader header, long budget, int maxRead, int maxReads) {
        ReadList list = header.readList();
        count = 0;
        total = 0;
        reads = 0;
        long octets = 0;
        long needed = 0;
        for (int i = 0; i < list.size(); i++) {
            octets += list.length(i);
            needed += (list.length(i) + maxRead - 1) / maxRead;
            if (octets > budget || needed > maxReads || !note(list.position(i), (int) list.length(i))) {
                return false;
            }
        }
        reads = (int) needed;
        sort();
        for (int i = 0; i < count; i++) {
            starts[i] = total;
            total += XdrWriter.roundUp(lengths[i]);
        }
        place(list);
        return header.type() != MessageType.NOMSG || hasStream();
    }

    /** Whether there is a Position Zero Read chunk that may hold a call (RFC 8166 section 3.5.3). */
    private boolean hasStream() {
        return count > 0 && positions[0] == 0 && lengths[0] >= DirectionClassifier.MIN_CALL;
    }

    private boolean note(long position, int length) {
        int chunk = find(position);
        if (chunk < 0) {
            if (count == MAX_CHUNKS || position > Integer.MAX_VALUE) {
                return false;
            }
            chunk = count++;
            positions[chunk] = position;
            lengths[chunk] = 0;
        }
        lengths[chunk] += length;
        return true;
    }

    private int find(long position) {
        for (int i = count - 1; i >= 0; i--) {
            if (positions[i] == position) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Sorts the chunks by position, as their data items are in the stream: a Read list should be so (RFC 8166 section
     * 4.3.1).
     */
    private void sort() {
        for (int i = 1; i < count; i++) {
            for (int k = i; k > 0 && positions[k - 1] > positions[k]; k--) {
                long position = positions[k];
                positions[k] = positions[k - 1];
                positions[k - 1] = position;
                int length = lengths[k];
                lengths[k] = lengths[k - 1];
                lengths[k - 1] = length;
            }
        }
    }

    private void place(ReadList list) {
        if (targets.length < list.size()) {
            targets = new int[list.size()];
        }
        int[] filled = Arrays.copyOf(starts, count);
        for (int i = 0; i < list.size(); i++) {
            int chunk = find(list.position(i));
            targets[i] = filled[chunk];
            filled[chunk] += (int) list.length(i);
        }
    }

    /** The memory that the whole Read list takes. */
    int total() {
        return total;
    }

    /** The RDMA Reads that it takes. */
    int reads() {
        return reads;
    }

    /**
     * Posts the RDMA Reads of the planned list. Once the last one is posted, the peer may answer, and another thread
     * may use this object and the list for another call: nothing of them is read from then on.
     *
     * @param id the work request id of each
     * @param region the memory that they go to
     */
    void post(ReadList list, RdmaConnection rdma, long id, MemoryRegion region, int maxRead) throws RdmaException {
        int left = reads;
        for (int i = 0; left > 0; i++) {
            long length = list.length(i);
            for (long at = 0; left > 0 && at < length; at += maxRead) {
                left--;
                rdma.postRead(
                        id,
                        region,
                        targets[i] + at,
                        (int) Math.min(maxRead, length - at),
                        list.handle(i),
                        list.offset(i) + at,
                        left > 0 ? RdmaConnection.MORE : 0);
            }
        }
    }

    /** The stream of a long call. */
    ByteBuffer stream(ByteBuffer memory) {
        return memory.slice(starts[0], lengths[0]);
    }

    /** Gives the data items to a reader of the stream. */
    void addItems(ByteBuffer memory, boolean longCall, XdrReader reader) {
        for (int i = longCall ? 1 : 0; i < count; i++) {
            reader.addItem(new DataItem((int) positions[i], memory.slice(starts[i], lengths[i])));
        }
    }
}
