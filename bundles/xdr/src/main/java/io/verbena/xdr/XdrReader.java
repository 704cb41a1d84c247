package io.verbena.xdr;

import io.verbena.text.OctetText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads an XDR stream (RFC 4506) from a buffer. A transport may have placed bulk data in other buffers. The reader
 * checks every length against the octets that are left, and against the caller's bound, before it uses the length. Not
 * thread safe; reusable with {@link #wrap}. The buffer's own position and limit are not changed.
 */
public final class XdrReader {
    private static final int NO_ITEM = Integer.MAX_VALUE;

    private final List<DataItem> items = new ArrayList<>(2);
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    private int base;
    private int position;
    private int limit;
    private int nextItem;
    private int nextItemPosition = NO_ITEM;
    private int placedBytes;

    /** Creates a reader without a stream; {@link #wrap} gives it one. */
    public XdrReader() {}

    /** A reader of the buffer's octets from its position to its limit. */
    public XdrReader(ByteBuffer stream) {
        wrap(stream);
    }

    /** Makes the reader read {@code stream}, from its position to its limit. Data items added before are dropped. */
    public XdrReader wrap(ByteBuffer stream) {
        buffer = stream.order() == ByteOrder.BIG_ENDIAN ? stream : stream.duplicate();
        base = stream.position();
        position = base;
        limit = stream.limit();
        items.clear();
        nextItem = 0;
        nextItemPosition = NO_ITEM;
        placedBytes = 0;
        return this;
    }

    /**
     * Adds an opaque whose octets a transport placed outside the stream. Items are added in stream order; each item is
     * added before the reader passes its place.
     *
     * @param item the octets, with or without their padding. An item {@link DataItem#IN_ORDER} of no octets means that
     *     the opaque stands in the stream after all
     */
    public void addItem(DataItem item) {
        items.add(item);
        if (items.size() - 1 == nextItem) {
            loadItem();
        }
    }

    /** The octets read so far, data items and their padding included. */
    public int position() {
        return position - base + placedBytes;
    }

    /** The octets of the stream that are still to be read; data items are not counted. */
    public int remaining() {
        return limit - position;
    }

    /**
     * The octets that are still to be read, data items and their padding included: the same number whether a transport
     * has placed data outside the stream or not.
     */
    public long fullRemaining() {
        long full = remaining();
        for (int i = nextItem; i < items.size(); i++) {
            full += XdrWriter.roundUp(items.get(i).data().remaining());
        }
        return full;
    }

    /** A reader of the octets of the stream that are still to be read, which leaves this one where it is. */
    public XdrReader ahead() {
        return new XdrReader(buffer.duplicate().limit(limit).position(position));
    }

    public int getInt() throws XdrException {
        require(4);
        int value = buffer.getInt(position);
        position += 4;
        return value;
    }

    /** An unsigned integer (RFC 4506 section 4.2). */
    public long getUnsignedInt() throws XdrException {
        return Integer.toUnsignedLong(getInt());
    }

    public long getLong() throws XdrException {
        require(8);
        long value = buffer.getLong(position);
        position += 8;
        return value;
    }

    /** A boolean (RFC 4506 section 4.4): any value but 0 and 1 is refused. */
    public boolean getBoolean() throws XdrException {
        int value = getInt();
        if (value != 0 && value != 1) {
            throw fail("boolean of value " + value, 4);
        }
        return value == 1;
    }

    /**
     * The count of a variable-length array, checked.
     *
     * @param max the largest count that the protocol allows here
     * @param elementBytes the least octets an element takes in the stream, 0 where it may take none
     */
    public int getCount(int max, int elementBytes) throws XdrException {
        int count = getInt();
        if (count < 0 || count > max) {
            throw fail("count " + Integer.toUnsignedString(count) + " over the limit of " + max, 4);
        }
        if ((long) count * elementBytes > remaining()) {
            throw fail("count " + count + " of elements that the message is too short for", 4);
        }
        return count;
    }

    /** A fixed-length opaque (RFC 4506 section 4.9). */
    public byte[] getFixedOpaque(int length) throws XdrException {
        int padded = XdrWriter.roundUp(length);
        require(padded);
        byte[] data = new byte[length];
        buffer.get(position, data);
        position += padded;
        return data;
    }

    /** A variable-length opaque (RFC 4506 section 4.10) of at most {@code max} octets. */
    public byte[] getOpaque(int max) throws XdrException {
        return getFixedOpaque(getLength(max));
    }

    /** A variable-length opaque as a read-only view of the stream, valid as long as the stream's buffer is. */
    public ByteBuffer getOpaqueView(int max) throws XdrException {
        return takeView(getLength(max)).asReadOnlyBuffer();
    }

    /** A string (RFC 4506 section 4.11) of at most {@code max} octets of well-formed UTF-8. */
    public String getString(int max) throws XdrException {
        int at = position();
        ByteBuffer view = takeView(getLength(max));
        try {
            CharBuffer decoded = StandardCharsets.UTF_8.newDecoder().decode(view);
            return decoded.toString();
        } catch (CharacterCodingException e) {
            throw new XdrException("string that is not UTF-8", at);
        }
    }

    /** A string (RFC 4506 section 4.11) of at most {@code max} octets, whatever they are: see {@link OctetText}. */
    public String getText(int max) throws XdrException {
        return OctetText.decode(takeView(getLength(max)));
    }

    /** Skips a variable-length opaque of at most {@code max} octets. */
    public void skipOpaque(int max) throws XdrException {
        int padded = XdrWriter.roundUp(getLength(max));
        require(padded);
        position += padded;
    }

    /** Skips {@code bytes} octets. */
    public void skip(int bytes) throws XdrException {
        if (bytes < 0) {
            throw new IllegalArgumentException("cannot skip " + bytes + " octets");
        }
        require(bytes);
        position += bytes;
    }

    /**
     * An opaque that may have been placed outside the stream (a DDP-eligible data item): a view of its octets wherever
     * they are.
     *
     * @throws XdrException also where the length word differs from the number of placed octets
     */
    public ByteBuffer getData(int max) throws XdrException {
        int length = getLength(max);
        DataItem placed = takeItem(length);
        return placed == null
                ? takeView(length)
                : placed.data().slice(placed.data().position(), length);
    }

    /** A text as {@link #getText} reads it, whose octets may have been placed outside the stream. */
    public String getTextData(int max) throws XdrException {
        return OctetText.decode(getData(max));
    }

    /**
     * Reads as {@link #getData} does, into {@code sink}, and advances its position. An item {@link DataItem#IN_ORDER}
     * is a view of {@code sink}: the transport has placed the octets there already, and nothing is copied. All other
     * data is copied.
     *
     * @return the number of octets in the opaque
     */
    public int getDataInto(ByteBuffer sink) throws XdrException {
        int length = getLength(sink.remaining());
        int end = sink.position() + length;
        DataItem placed = takeItem(length);
        if (placed == null) {
            int padded = XdrWriter.roundUp(length);
            require(padded);
            sink.put(sink.position(), buffer, position, length);
            position += padded;
        } else if (placed.position() != DataItem.IN_ORDER) {
            sink.put(sink.position(), placed.data(), placed.data().position(), length);
        }
        sink.position(end);
        return length;
    }

    /**
     * @throws XdrException where octets or data items are left unread; items {@link DataItem#IN_ORDER} without octets
     *     do not count
     */
    public void requireEnd() throws XdrException {
        if (position != limit) {
            throw fail(remaining() + " octets too many", 0);
        }
        for (int i = nextItem; i < items.size(); i++) {
            DataItem item = items.get(i);
            if (item.position() != DataItem.IN_ORDER || item.data().hasRemaining()) {
                throw fail("a data item that belongs to nothing", 0);
            }
        }
    }

    private int getLength(int max) throws XdrException {
        int length = getInt();
        if (length < 0 || length > max) {
            throw fail("length " + Integer.toUnsignedString(length) + " over the limit of " + max, 4);
        }
        return length;
    }

    /** Takes the placed item for this opaque. Returns null where the octets stand in the stream. */
    private DataItem takeItem(int length) throws XdrException {
        if (nextItem >= items.size()) {
            return null;
        }
        DataItem item = items.get(nextItem);
        if (item.position() != DataItem.IN_ORDER && item.position() != position()) {
            return null;
        }
        int placed = item.data().remaining();
        boolean inStream = placed == 0 && item.position() == DataItem.IN_ORDER && length > 0;
        if (!inStream && placed != length && placed != XdrWriter.roundUp(length)) {
            throw fail("length " + length + " of an item of which " + placed + " octets came", 4);
        }
        nextItem++;
        loadItem();
        if (inStream) {
            return null;
        }
        placedBytes += XdrWriter.roundUp(length);
        return item;
    }

    private void loadItem() {
        boolean positioned = nextItem < items.size() && items.get(nextItem).position() != DataItem.IN_ORDER;
        nextItemPosition = positioned ? items.get(nextItem).position() : NO_ITEM;
    }

    private ByteBuffer takeView(int length) throws XdrException {
        int padded = XdrWriter.roundUp(length);
        require(padded);
        ByteBuffer view = buffer.slice(position, length);
        position += padded;
        return view;
    }

    private void require(int bytes) throws XdrException {
        // neither side of the comparison can overflow
        if (bytes < 0 || bytes > limit - position) {
            throw fail(bytes + " octets wanted of " + remaining(), 0);
        }
        if (bytes > nextItemPosition - position()) {
            throw fail("data item at position " + nextItemPosition + " that is not DDP-eligible", 0);
        }
    }

    private XdrException fail(String what, int back) {
        return new XdrException(what, position() - back);
    }
}
