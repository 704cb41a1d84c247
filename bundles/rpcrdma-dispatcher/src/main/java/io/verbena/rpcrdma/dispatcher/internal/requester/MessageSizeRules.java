package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpc.CallShape;
import io.verbena.rpc.TransferSizes;
import io.verbena.rpc.TransferSizes.Way;
import io.verbena.rpcrdma.ConnectionSettings;
import io.verbena.rpcrdma.Direction;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.ReadList;
import io.verbena.rpcrdma.SegmentList;
import io.verbena.rpcrdma.TransportHeader;

/**
 * Decides by sizes how a call and its reply travel (RFC 8166 section 3.5); {@link CallEncoder} has the table, and
 * encodes. Immutable, for one connection as it is now.
 */
final class MessageSizeRules {
    private static final int ANY = 0;

    private final ConnectionSettings settings;
    private final Framing framing;
    private final boolean chunks;
    private final int maxSegment;
    private final int bareHeader;

    /** How a call goes out. */
    enum CallWay {
        /** In one Send. */
        INLINE,
        /** Its data items by Read chunks. */
        ITEMS,
        /** Its data items by Read chunks, its stream by a Position Zero Read chunk. */
        STREAM_AND_ITEMS,
        /** All in one Position Zero Read chunk. */
        WHOLE,
        /** There may be no chunks, and it does not fit without. */
        TOO_LONG,
        /** It does not fit with chunks either. */
        TOO_MANY_CHUNKS
    }

    /**
     * @param chunks whether calls may have any
     * @param maxSegment the most octets of a segment
     */
    MessageSizeRules(ConnectionSettings settings, Framing framing, boolean chunks, int maxSegment) {
        this.settings = settings;
        this.framing = framing;
        this.chunks = chunks;
        this.maxSegment = maxSegment;
        bareHeader = framing.encodedLength(new TransportHeader());
    }

    int sendThreshold() {
        return settings.sendThreshold();
    }

    int maxSegment() {
        return maxSegment;
    }

    static long roundUp(int length) {
        return (length + 3L) & ~3L;
    }

    int segments(int length) {
        return length == 0 ? 0 : (length - 1) / maxSegment + 1;
    }

    /**
     * Whether chunks are offered for a reply. Without chunks none are: then the peer refuses a reply that does not fit.
     *
     * @param maxReply the octets of the largest reply without results
     * @param results the octets of the results with their padding
     */
    boolean offersChunks(int maxReply, long results) {
        return chunks && inlineReply(maxReply, results) > settings.receiveThreshold();
    }

    /** The octets of a reply that comes inline as a whole. */
    private long inlineReply(int maxReply, long results) {
        return (long) bareHeader + maxReply + results;
    }

    /**
     * Whether a reply needs a Reply chunk, given the header of the call with its Write list, which the reply repeats.
     */
    boolean needsReplyChunk(TransportHeader header, int maxReply) {
        return (long) framing.encodedLength(header) + maxReply > settings.receiveThreshold();
    }

    /** Whether a header, with all that is offered for the reply, fits neither end's messages. */
    boolean offersTooMuch(TransportHeader header) {
        return framing.encodedLength(header) > Math.min(settings.sendThreshold(), settings.receiveThreshold());
    }

    /**
     * How a call goes out, given its header with all that is offered for the reply.
     *
     * @param stream the octets of the stream
     * @param full the same with data items in place
     * @param itemSegments the segments that the data items would have
     */
    CallWay callWay(TransportHeader header, int stream, long full, int itemSegments) {
        int threshold = settings.sendThreshold();
        if (framing.encodedLength(header) + full <= threshold) {
            return CallWay.INLINE;
        }
        if (!chunks) {
            return CallWay.TOO_LONG;
        }
        if (lengthWith(header, itemSegments) + stream <= threshold) {
            return CallWay.ITEMS;
        }
        if (lengthWith(header, itemSegments + segments(stream)) <= threshold) {
            return CallWay.STREAM_AND_ITEMS;
        }
        boolean fits = lengthWith(header, segments(Math.toIntExact(full))) <= threshold;
        return fits ? CallWay.WHOLE : CallWay.TOO_MANY_CHUNKS;
    }

    /** The header's length if its Read list, which is empty, had that many segments. */
    private int lengthWith(TransportHeader header, int readSegments) {
        ReadList list = header.readList();
        for (int i = 0; i < readSegments; i++) {
            list.add(ANY, ANY, ANY, ANY);
        }
        int length = framing.encodedLength(header);
        list.clear();
        return length;
    }

    /** How a call of these sizes would travel. */
    TransferSizes plan(CallShape shape) {
        TransportHeader header = new TransportHeader();
        header.direction(Direction.CALL);
        long results = roundUp(shape.resultOctets());
        long replyOctets = inlineReply(shape.maxReplyOctets(), results);
        Way reply = planReply(header, shape);
        int writeSegments =
                header.writeList().size() == 0 ? 0 : header.writeList().chunk(0).size();
        int replySegments = header.replyChunk().size();
        long full = shape.streamOctets() + roundUp(shape.itemOctets());
        long callOctets = framing.encodedLength(header) + full;
        int itemSegments = segments(shape.itemOctets());
        CallWay way = callWay(header, shape.streamOctets(), full, itemSegments);
        int readSegments =
                switch (way) {
                    case INLINE, TOO_LONG, TOO_MANY_CHUNKS -> 0;
                    case ITEMS -> itemSegments;
                    case STREAM_AND_ITEMS -> itemSegments + segments(shape.streamOctets());
                    case WHOLE -> segments(Math.toIntExact(full));
                };
        int regions = (writeSegments > 0 ? 1 : 0)
                + (writeSegments > 0 && results > shape.resultOctets() ? 1 : 0)
                + (replySegments > 0 ? 1 : 0)
                + (way == CallWay.STREAM_AND_ITEMS && itemSegments > 0 ? 1 : 0)
                + (readSegments > 0 ? 1 : 0);
        return new TransferSizes(
                publicWay(way),
                callOctets,
                settings.sendThreshold(),
                readSegments,
                reply,
                replyOctets,
                settings.receiveThreshold(),
                writeSegments,
                replySegments,
                regions);
    }

    private Way planReply(TransportHeader header, CallShape shape) {
        long results = roundUp(shape.resultOctets());
        if (!offersChunks(shape.maxReplyOctets(), results)) {
            boolean fits = inlineReply(shape.maxReplyOctets(), results) <= settings.receiveThreshold();
            return fits ? Way.INLINE : Way.NONE;
        }
        if (shape.resultOctets() > 0) {
            SegmentList chunk = header.writeList().add();
            addSegments(chunk, shape.resultOctets());
            addSegments(chunk, (int) (results - shape.resultOctets()));
        }
        if (!needsReplyChunk(header, shape.maxReplyOctets())) {
            return Way.CHUNK;
        }
        header.hasReplyChunk(true);
        addSegments(header.replyChunk(), shape.maxReplyOctets());
        return offersTooMuch(header) ? Way.NONE : Way.LONG;
    }

    private void addSegments(SegmentList chunk, int length) {
        for (int i = segments(length); i > 0; i--) {
            chunk.add(ANY, ANY, ANY);
        }
    }

    private static Way publicWay(CallWay way) {
        return switch (way) {
            case INLINE -> Way.INLINE;
            case ITEMS -> Way.CHUNK;
            case STREAM_AND_ITEMS, WHOLE -> Way.LONG;
            case TOO_LONG, TOO_MANY_CHUNKS -> Way.NONE;
        };
    }
}
