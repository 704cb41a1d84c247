package io.verbena.cli.internal.resident;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Optional;

/** Reads messages from a channel. One thread uses it. */
final class FrameReader {
    private static final int BUFFER = 1 << 16;

    private final ReadableByteChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).flip();

    FrameReader(ReadableByteChannel channel) {
        this.channel = channel;
    }

    /**
     * Returns the next message; empty at the end of the channel.
     *
     * @throws IOException if the channel fails, ends within a message, or has a message that is too long
     */
    Optional<Frame> read() throws IOException {
        if (!fill(Frame.HEADER, true)) {
            return Optional.empty();
        }
        char type = (char) (buffer.get() & 0xff);
        int length = buffer.getInt();
        if (length < 0 || length > Frame.MAX_CONTENT) {
            throw new IOException("a message of " + Integer.toUnsignedString(length) + " octets");
        }
        byte[] content = new byte[length];
        for (int at = 0; at < length; ) {
            fill(1, false);
            int taken = Math.min(buffer.remaining(), length - at);
            buffer.get(content, at, taken);
            at += taken;
        }
        return Optional.of(new Frame(type, content));
    }

    /** Reads until the buffer has some octets. Returns whether it has; at the end of the channel it may not. */
    private boolean fill(int octets, boolean mayEnd) throws IOException {
        while (buffer.remaining() < octets) {
            buffer.compact();
            int read;
            try {
                read = channel.read(buffer);
            } finally {
                buffer.flip();
            }
            if (read < 0) {
                if (mayEnd && !buffer.hasRemaining()) {
                    return false;
                }
                throw new IOException("the connection has ended within a message");
            }
        }
        return true;
    }
}
