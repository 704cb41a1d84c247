package io.verbena.rpcrdma.dispatcher.internal;

import java.nio.ByteBuffer;

/** Writes messages word by word, as the specifications draw them, for peers that tests play. */
final class Wire {
    static final int MSG = 0;
    static final int NOMSG = 1;
    static final int MSGP = 2;
    static final int DONE = 3;
    static final int ERROR = 4;

    private final ByteBuffer out = ByteBuffer.allocateDirect(16384);

    /** The fixed fields. */
    static Wire header(int version, int xid, int credits, int procedure) {
        return new Wire().words(xid, version, credits, procedure);
    }

    Wire words(int... words) {
        for (int word : words) {
            out.putInt(word);
        }
        return this;
    }

    Wire bytes(byte[] bytes) {
        out.put(bytes);
        while (out.position() % 4 != 0) {
            out.put((byte) 0);
        }
        return this;
    }

    /** A segment: handle, length, offset. */
    Wire segment(int handle, int length, long offset) {
        out.putInt(handle).putInt(length).putLong(offset);
        return this;
    }

    /** The same segment, as much of it as was used. */
    Wire segment(Chunks.Segment segment, int used) {
        return segment(segment.handle(), used, segment.offset());
    }

    /** The header of an accepted reply with SUCCESS. */
    Wire accepted(int xid) {
        return words(xid, 1, 0, 0, 0, 0);
    }

    /** The header of a call by nobody. */
    Wire call(int xid, int program, int version, int procedure) {
        return words(xid, 0, 2, program, version, procedure, 0, 0, 0, 0);
    }

    ByteBuffer done() {
        return out.flip();
    }
}
