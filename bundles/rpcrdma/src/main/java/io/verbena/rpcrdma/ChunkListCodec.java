package io.verbena.rpcrdma;

import java.nio.ByteBuffer;

/**
 * Encodes and decodes the three chunk lists of a header (RFC 8166 section 4.3). Versions One and Two share the
 * encoding; the {@link Framing} of each version calls it. Stateless and without allocation; any thread may call it.
 *
 * <p>The grammar, in words of 32 bits (RFC 8166 section 4.7):
 *
 * <pre>
 * chunk lists = read list, write list, reply chunk
 * read list   = { 1 P HLOO } 0         a segment each; neighbours of the same P are one Read chunk
 * write list  = { 1 chunk } 0
 * reply chunk = 0 | 1 chunk
 * chunk       = N N*HLOO               N from 0 on
 * P    position, a multiple of four
 * HLOO handle, length, offset (two words)
 * </pre>
 */
public final class ChunkListCodec {
    private static final int WORD = 4;
    private static final int SEGMENT = 16;
    private static final int READ_SEGMENT = WORD + SEGMENT;

    private static final int LENGTH_FIELD = 4;
    private static final int OFFSET_FIELD = 8;

    private static final String READ_LIST = "RFC 8166 4.3.1";
    private static final String WRITE_LIST = "RFC 8166 4.3.2";
    private static final String REPLY_CHUNK = "RFC 8166 4.3.3";
    private static final String POSITION = "RFC 8166 3.4.5";

    private ChunkListCodec() {}

    /** The number of octets that {@link #encode} writes. */
    public static int encodedLength(TransportHeader header) {
        int length = 3 * WORD + header.readList().size() * (WORD + READ_SEGMENT);
        WriteList writes = header.writeList();
        for (int i = 0; i < writes.size(); i++) {
            length += WORD + chunkLength(writes.chunk(i));
        }
        return header.hasReplyChunk() ? length + chunkLength(header.replyChunk()) : length;
    }

    /**
     * Writes the three lists of a header.
     *
     * @param at the offset in {@code out} at which the lists begin
     * @return the offset behind the lists
     * @throws IllegalArgumentException for a Read segment whose position is not a multiple of four
     * @throws IndexOutOfBoundsException where the lists do not fit below the limit of {@code out}
     */
    public static int encode(TransportHeader header, ByteBuffer out, int at) {
        int next = encodeReadList(header.readList(), out, at);
        next = encodeWriteList(header.writeList(), out, next);
        out.putInt(next, header.hasReplyChunk() ? 1 : 0);
        next += WORD;
        return header.hasReplyChunk() ? encodeChunk(header.replyChunk(), out, next) : next;
    }

    /**
     * Reads the three lists of a header. Never reads outside {@code at .. end}; no list has more segments than those
     * octets hold.
     *
     * @param start the offset in {@code in} at which the header begins; offsets of a {@link HeaderException} are
     *     relative to it
     * @param at the offset at which the lists begin
     * @param end the offset behind the last octet received
     * @param header the header whose lists are filled; they are empty before
     * @return the offset behind the lists
     * @throws HeaderException with {@link HeaderError#BAD_HEADER} for octets that are not chunk lists
     */
    public static int decode(ByteBuffer in, int start, int at, int end, TransportHeader header) throws HeaderException {
        int next = decodeReadList(in, start, at, end, header.readList());
        next = decodeWriteList(in, start, next, end, header.writeList());
        boolean present = decodePresent(in, start, next, end, REPLY_CHUNK);
        header.hasReplyChunk(present);
        next += WORD;
        return present ? decodeChunk(in, start, next, end, header.replyChunk(), REPLY_CHUNK) : next;
    }

    private static int chunkLength(SegmentList chunk) {
        return WORD + chunk.size() * SEGMENT;
    }

    private static int encodeReadList(ReadList list, ByteBuffer out, int at) {
        int next = at;
        for (int i = 0; i < list.size(); i++) {
            int position = (int) list.position(i);
            if (position % WORD != 0) {
                throw new IllegalArgumentException("Read segment at position " + Integer.toUnsignedString(position)
                        + ", which is no multiple of four (" + POSITION + ")");
            }
            out.putInt(next, 1);
            out.putInt(next + WORD, position);
            next += 2 * WORD;
            out.putInt(next, list.handle(i));
            out.putInt(next + LENGTH_FIELD, (int) list.length(i));
            out.putLong(next + OFFSET_FIELD, list.offset(i));
            next += SEGMENT;
        }
        out.putInt(next, 0);
        return next + WORD;
    }

    private static int encodeWriteList(WriteList list, ByteBuffer out, int at) {
        int next = at;
        for (int i = 0; i < list.size(); i++) {
            out.putInt(next, 1);
            next = encodeChunk(list.chunk(i), out, next + WORD);
        }
        out.putInt(next, 0);
        return next + WORD;
    }

    private static int encodeChunk(SegmentList chunk, ByteBuffer out, int at) {
        out.putInt(at, chunk.size());
        int next = at + WORD;
        for (int i = 0; i < chunk.size(); i++) {
            out.putInt(next, chunk.handle(i));
            out.putInt(next + LENGTH_FIELD, (int) chunk.length(i));
            out.putLong(next + OFFSET_FIELD, chunk.offset(i));
            next += SEGMENT;
        }
        return next;
    }

    private static int decodeReadList(ByteBuffer in, int start, int at, int end, ReadList list) throws HeaderException {
        int next = at;
        while (decodePresent(in, start, next, end, READ_LIST)) {
            next += WORD;
            require(READ_SEGMENT, start, next, end, READ_LIST);
            int position = in.getInt(next);
            if (position % WORD != 0) {
                throw bad(
                        "Read segment at position " + Integer.toUnsignedString(position)
                                + ", which is no multiple of four",
                        start,
                        next,
                        POSITION);
            }
            next += WORD;
            list.add(position, in.getInt(next), in.getInt(next + LENGTH_FIELD), in.getLong(next + OFFSET_FIELD));
            next += SEGMENT;
        }
        return next + WORD;
    }

    private static int decodeWriteList(ByteBuffer in, int start, int at, int end, WriteList list)
            throws HeaderException {
        int next = at;
        while (decodePresent(in, start, next, end, WRITE_LIST)) {
            next = decodeChunk(in, start, next + WORD, end, list.add(), WRITE_LIST);
        }
        return next + WORD;
    }

    private static int decodeChunk(ByteBuffer in, int start, int at, int end, SegmentList chunk, String section)
            throws HeaderException {
        require(WORD, start, at, end, section);
        int count = in.getInt(at);
        int next = at + WORD;
        // a division instead of a multiplication, so that no count can overflow
        if (Integer.compareUnsigned(count, (end - next) / SEGMENT) > 0) {
            throw bad(
                    "chunk of " + Integer.toUnsignedString(count) + " segments that the message is too short for",
                    start,
                    at,
                    section);
        }
        for (int i = 0; i < count; i++) {
            chunk.add(in.getInt(next), in.getInt(next + LENGTH_FIELD), in.getLong(next + OFFSET_FIELD));
            next += SEGMENT;
        }
        return next;
    }

    /** The word in front of an optional item (RFC 4506 section 4.19). */
    private static boolean decodePresent(ByteBuffer in, int start, int at, int end, String section)
            throws HeaderException {
        require(WORD, start, at, end, section);
        int value = in.getInt(at);
        if (value != 0 && value != 1) {
            throw bad("optional item marked " + Integer.toUnsignedString(value), start, at, section);
        }
        return value == 1;
    }

    private static void require(int octets, int start, int at, int end, String section) throws HeaderException {
        if (end - at < octets) {
            throw bad(octets + " octets wanted of " + (end - at), start, at, section);
        }
    }

    private static HeaderException bad(String what, int start, int at, String section) {
        return new HeaderException(HeaderError.BAD_HEADER, what, at - start, section);
    }
}
