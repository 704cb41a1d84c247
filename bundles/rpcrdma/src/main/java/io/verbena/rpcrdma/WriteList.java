package io.verbena.rpcrdma;

import java.util.ArrayList;
import java.util.List;

/** The Write list (RFC 8166 section 4.3.2): Write chunks in the order of the results. Reusable, not thread safe. */
public final class WriteList {
    private final List<SegmentList> chunks = new ArrayList<>(2);
    private int size;

    public void clear() {
        size = 0;
    }

    /** The number of Write chunks. */
    public int size() {
        return size;
    }

    public SegmentList chunk(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException("Write chunk " + index + " of " + size);
        }
        return chunks.get(index);
    }

    /** Adds a Write chunk without segments and returns it; the caller fills it. */
    public SegmentList add() {
        if (size == chunks.size()) {
            chunks.add(new SegmentList());
        }
        SegmentList chunk = chunks.get(size++);
        chunk.clear();
        return chunk;
    }
}
