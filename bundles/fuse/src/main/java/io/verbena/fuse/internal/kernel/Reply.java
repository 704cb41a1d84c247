package io.verbena.fuse.internal.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The content of an answer, without data of files. Belongs to one thread. */
public final class Reply {
    private final ByteBuffer out;

    /** @param size of the longest content */
    public Reply(int size) {
        out = ByteBuffer.allocate(Protocol.OUT_HEADER + size).order(ByteOrder.nativeOrder());
        out.position(Protocol.OUT_HEADER);
    }

    /** An answer without content. */
    public static Reply empty() {
        return new Reply(0);
    }

    public Reply u16(int value) {
        out.putShort((short) value);
        return this;
    }

    public Reply u32(int value) {
        out.putInt(value);
        return this;
    }

    public Reply u64(long value) {
        out.putLong(value);
        return this;
    }

    public Reply octets(byte[] octets) {
        out.put(octets);
        return this;
    }

    public Reply zeros(int octets) {
        for (int i = 0; i < octets; i++) {
            out.put((byte) 0);
        }
        return this;
    }

    /** How many octets the content may still have. */
    public int room() {
        return out.remaining();
    }

    /** The octets of the content so far. */
    public int length() {
        return out.position() - Protocol.OUT_HEADER;
    }

    /** The message with its header. */
    public byte[] message(long unique) {
        header(out, 0, out.position(), 0, unique);
        byte[] message = new byte[out.position()];
        out.get(0, message);
        return message;
    }

    /** Puts the header of an answer before its data. */
    public static void putHeader(ByteBuffer buffer, int start, int length, long unique) {
        ByteBuffer to = buffer.duplicate().order(ByteOrder.nativeOrder());
        header(to, start - Protocol.OUT_HEADER, Protocol.OUT_HEADER + length, 0, unique);
    }

    static void header(ByteBuffer to, int at, int length, int error, long unique) {
        to.putInt(at, length).putInt(at + 4, error).putLong(at + 8, unique);
    }

    /** A message without content. */
    public static byte[] failure(long unique, int errno) {
        ByteBuffer message = ByteBuffer.allocate(Protocol.OUT_HEADER).order(ByteOrder.nativeOrder());
        header(message, 0, Protocol.OUT_HEADER, -errno, unique);
        return message.array();
    }
}
