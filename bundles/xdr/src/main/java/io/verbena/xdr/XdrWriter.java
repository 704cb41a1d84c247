package io.verbena.xdr;

import io.verbena.text.OctetText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Writes an XDR stream (RFC 4506) into memory that grows. Bulk data is kept by reference. Not thread safe; reusable
 * after {@link #reset()}.
 */
public final class XdrWriter {
    private static final int MIN_CAPACITY = 64;

    private final List<DataItem> items = new ArrayList<>(2);
    private byte[] bytes;
    private ByteBuffer buffer;
    private int position;
    private long itemBytes;

    /** Creates a writer with room for 512 octets before it grows. */
    public XdrWriter() {
        this(512);
    }

    /**
     * @param initialCapacity the octets of stream that the writer has room for at first
     */
    public XdrWriter(int initialCapacity) {
        bytes = new byte[Math.max(initialCapacity, MIN_CAPACITY)];
        buffer = ByteBuffer.wrap(bytes);
    }

    /** The octets that {@code length} octets and their XDR padding take: the next multiple of four. */
    public static int roundUp(int length) {
        return (length + 3) & ~3;
    }

    /** Drops everything that was written, and keeps the memory. */
    public void reset() {
        position = 0;
        itemBytes = 0;
        items.clear();
    }

    /**
     * Goes back to {@code newPosition}: drops the stream from that offset on, and the data items whose length words
     * stand there.
     */
    public void truncate(int newPosition) {
        if (newPosition < 0 || newPosition > position) {
            throw new IllegalArgumentException("position " + newPosition + " is not in 0.." + position);
        }
        position = newPosition;
        while (!items.isEmpty() && items.get(items.size() - 1).position() > newPosition) {
            itemBytes -= roundUp(items.remove(items.size() - 1).data().remaining());
        }
    }

    /** The octets in the stream so far; data items are not counted. */
    public int position() {
        return position;
    }

    /** The octets of the whole message with every data item and its padding in place. */
    public long fullSize() {
        return position + itemBytes;
    }

    /** The data items written by reference, in stream order. The list is a view. */
    public List<DataItem> items() {
        return Collections.unmodifiableList(items);
    }

    public XdrWriter putInt(int value) {
        ensure(4);
        buffer.putInt(position, value);
        position += 4;
        return this;
    }

    public XdrWriter putLong(long value) {
        ensure(8);
        buffer.putLong(position, value);
        position += 8;
        return this;
    }

    public XdrWriter putBoolean(boolean value) {
        return putInt(value ? 1 : 0);
    }

    /** Overwrites four octets written before, such as a count that becomes known later. */
    public void setInt(int at, int value) {
        if (at < 0 || at > position - 4) {
            throw new IndexOutOfBoundsException("no integer was written at " + at);
        }
        buffer.putInt(at, value);
    }

    /** Four octets written before. */
    public int getInt(int at) {
        if (at < 0 || at > position - 4) {
            throw new IndexOutOfBoundsException("no integer was written at " + at);
        }
        return buffer.getInt(at);
    }

    /** A fixed-length opaque (RFC 4506 section 4.9): the octets and their padding. */
    public XdrWriter putFixedOpaque(byte[] data) {
        return putFixedOpaque(data, 0, data.length);
    }

    /** A fixed-length opaque (RFC 4506 section 4.9) from a part of an array. */
    public XdrWriter putFixedOpaque(byte[] data, int offset, int length) {
        int padded = roundUp(length);
        ensure(padded);
        System.arraycopy(data, offset, bytes, position, length);
        Arrays.fill(bytes, position + length, position + padded, (byte) 0);
        position += padded;
        return this;
    }

    /** A variable-length opaque (RFC 4506 section 4.10), copied into the stream. */
    public XdrWriter putOpaque(byte[] data) {
        return putInt(data.length).putFixedOpaque(data);
    }

    /** A variable-length opaque (RFC 4506 section 4.10), copied into the stream; the buffer is not changed. */
    public XdrWriter putOpaque(ByteBuffer data) {
        int length = data.remaining();
        putInt(length);
        int padded = roundUp(length);
        ensure(padded);
        data.get(data.position(), bytes, position, length);
        Arrays.fill(bytes, position + length, position + padded, (byte) 0);
        position += padded;
        return this;
    }

    /** A string (RFC 4506 section 4.11) in UTF-8. */
    public XdrWriter putString(String value) {
        return putOpaque(value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A string (RFC 4506 section 4.11): the octets that {@link OctetText} encodes the text to.
     *
     * @throws IllegalArgumentException where the text has no octets
     */
    public XdrWriter putText(String value) {
        return putOpaque(OctetText.encode(value));
    }

    /**
     * A variable-length opaque whose octets stay where they are: the length word goes into the stream, the buffer into
     * {@link #items()}. The octets must not change until the message has been sent and answered.
     */
    public XdrWriter putData(ByteBuffer data) {
        putInt(data.remaining());
        items.add(new DataItem(position, data));
        itemBytes += roundUp(data.remaining());
        return this;
    }

    /** A text as {@link #putText} writes it, whose octets stay outside the stream as those of {@link #putData}. */
    public XdrWriter putTextData(String value) {
        return putData(ByteBuffer.wrap(OctetText.encode(value)));
    }

    /** Writes all that another writer holds: its stream is copied, its data items stay where they are. */
    public XdrWriter append(XdrWriter other) {
        ensure(other.position);
        System.arraycopy(other.bytes, 0, bytes, position, other.position);
        for (int i = 0; i < other.items.size(); i++) {
            DataItem item = other.items.get(i);
            items.add(new DataItem(position + item.position(), item.data()));
        }
        itemBytes += other.itemBytes;
        position += other.position;
        return this;
    }

    /** Copies a part of the stream, without data items, to {@code out} and advances it. */
    public void copyStream(int from, int to, ByteBuffer out) {
        if (from < 0 || to > position || from > to) {
            throw new IndexOutOfBoundsException(from + ".." + to + " is not in 0.." + position);
        }
        out.put(bytes, from, to - from);
    }

    /** Copies the whole message with every data item and its padding in place to {@code out} and advances it. */
    public void copyFull(ByteBuffer out) {
        int from = 0;
        for (DataItem item : items) {
            copyStream(from, item.position(), out);
            from = item.position();
            int length = item.data().remaining();
            out.put(item.data().duplicate());
            for (int pad = roundUp(length) - length; pad > 0; pad--) {
                out.put((byte) 0);
            }
        }
        copyStream(from, position, out);
    }

    /** The whole message with every data item in place, as an array of its own. */
    public byte[] toByteArray() {
        byte[] full = new byte[Math.toIntExact(fullSize())];
        copyFull(ByteBuffer.wrap(full));
        return full;
    }

    private void ensure(int more) {
        if (more > bytes.length - position) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(position, more), bytes.length * 2));
            buffer = ByteBuffer.wrap(bytes);
        }
    }
}
