package io.verbena.verbs.trace.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The octets of a capture file, in the byte order detected. */
final class CaptureInput {
    /** The most octets of one packet or block. The largest packets that programs capture fit. */
    static final int MAX_BLOCK = 1 << 24;

    private final InputStream in;
    private ByteOrder order = ByteOrder.BIG_ENDIAN;
    private long offset;

    CaptureInput(InputStream in) {
        this.in = in;
    }

    void order(ByteOrder newOrder) {
        order = newOrder;
    }

    /** The offset in the file. */
    long offset() {
        return offset;
    }

    /** The next octets, or null at the end of the file. */
    ByteBuffer readOrEnd(int length) throws IOException {
        byte[] octets = in.readNBytes(length);
        if (octets.length == 0 && length > 0) {
            return null;
        }
        if (octets.length < length) {
            throw new CaptureException("the file is cut off: " + length + " octets belong at offset " + offset
                    + ", and there are " + octets.length);
        }
        offset += length;
        return ByteBuffer.wrap(octets).order(order);
    }

    ByteBuffer read(int length) throws IOException {
        ByteBuffer octets = readOrEnd(length);
        if (octets == null) {
            throw new CaptureException("the file is cut off at offset " + offset);
        }
        return octets;
    }
}
