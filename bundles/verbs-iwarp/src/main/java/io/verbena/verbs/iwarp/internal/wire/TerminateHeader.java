package io.verbena.verbs.iwarp.internal.wire;

import io.verbena.verbs.iwarp.internal.wire.Iwarp.Fault;
import java.nio.ByteBuffer;

/** The Terminate header (RFC 5040 section 4.8), which follows the untagged DDP header. */
public final class TerminateHeader {
    static final int LAYER_AND_TYPE = 0;
    static final int CODE = 1;
    static final int HEADER_CONTROL = 2;
    public static final int CONTROL_LENGTH = 4;
    static final int SEGMENT_LENGTH = 4;
    static final int DDP_HEADER = 6;
    public static final int MAX_LENGTH = DDP_HEADER + DdpHeader.UNTAGGED_LENGTH + ReadRequestHeader.LENGTH;

    private TerminateHeader() {}

    /**
     * Writes the header.
     *
     * @param segment the headers of the faulty DDP segment from index 0: the DDP header, followed by the Read Request
     *     header where the segment is one; null where the fault is not in a segment
     * @param segmentLength the length of that segment
     * @param readRequest whether the Read Request header is included too
     * @return its length
     */
    public static int put(
            ByteBuffer b, int at, Fault fault, ByteBuffer segment, int segmentLength, boolean readRequest) {
        b.put(at + LAYER_AND_TYPE, (byte) ((fault.layer << 4) | fault.type));
        b.put(at + CODE, (byte) fault.code);
        b.putShort(at + HEADER_CONTROL, (short) 0);
        if (segment == null) {
            return CONTROL_LENGTH;
        }
        int ddpLength = DdpHeader.length(segment, 0);
        int length = ddpLength + (readRequest ? ReadRequestHeader.LENGTH : 0);
        int control = Iwarp.TERMINATE_HAS_LENGTH | Iwarp.TERMINATE_HAS_DDP_HEADER;
        b.put(at + HEADER_CONTROL, (byte) (readRequest ? control | Iwarp.TERMINATE_HAS_RDMAP_HEADER : control));
        b.putShort(at + SEGMENT_LENGTH, (short) segmentLength);
        b.put(at + DDP_HEADER, segment, 0, length);
        return DDP_HEADER + length;
    }

    static int layer(ByteBuffer b, int at) {
        return (b.get(at + LAYER_AND_TYPE) >> 4) & 0xf;
    }

    static int type(ByteBuffer b, int at) {
        return b.get(at + LAYER_AND_TYPE) & 0xf;
    }

    static int code(ByteBuffer b, int at) {
        return b.get(at + CODE) & 0xff;
    }

    /**
     * Whether the Terminate reports an access that was not granted. Linux's siw exchanges layer and type on
     * little-endian machines, so layer DDP with type 0, which has no other meaning, counts too.
     */
    public static boolean isProtection(ByteBuffer b, int at) {
        int layer = layer(b, at);
        int type = type(b, at);
        if (layer == Iwarp.LAYER_DDP) {
            return type == 0 || (type == Iwarp.ETYPE_DDP_TAGGED && code(b, at) <= Fault.DDP_TO_WRAP.code);
        }
        return layer == Iwarp.LAYER_RDMAP && type == Iwarp.ETYPE_RDMAP_PROTECTION;
    }

    /** Describes the Terminate for people to read. */
    public static String describe(ByteBuffer b, int at) {
        String error = String.format("layer %d, error type %d, code 0x%02x", layer(b, at), type(b, at), code(b, at));
        return isCrc(b, at) ? error + ": it finds the CRC of what was sent wrong" : error;
    }

    /**
     * Whether the Terminate reports a bad CRC. In siw's order of the fields it is a remote operation error that does
     * not exist otherwise.
     */
    private static boolean isCrc(ByteBuffer b, int at) {
        boolean swapped = layer(b, at) == Iwarp.LAYER_RDMAP && type(b, at) == Iwarp.ETYPE_RDMAP_OPERATION;
        return code(b, at) == Fault.MPA_CRC.code && (layer(b, at) == Iwarp.LAYER_LLP || swapped);
    }
}
