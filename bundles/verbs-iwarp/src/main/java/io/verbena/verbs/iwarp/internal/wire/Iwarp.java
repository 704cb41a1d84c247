package io.verbena.verbs.iwarp.internal.wire;

import java.nio.charset.StandardCharsets;

/** The numbers of the iWARP protocols: opcodes, flags, queue numbers and error codes, as the RFCs name them. */
public final class Iwarp {
    // MPA: RFC 5044 section 7.1, RFC 6581 sections 6 and 9
    static final int MPA_REVISION_1 = 1;
    public static final int MPA_REVISION_2 = 2;
    public static final int MPA_FLAG_MARKERS = 0x80;
    public static final int MPA_FLAG_CRC = 0x40;
    public static final int MPA_FLAG_REJECT = 0x20;
    public static final int MPA_FLAG_ENHANCED = 0x10;
    static final int MPA_MAX_PRIVATE_DATA = 512;

    /** In the word of IRD: the peer-to-peer connection model. */
    static final int MPA_PEER_TO_PEER = 0x8000;
    /** In the word of IRD: ready to receive by a zero-length FPDU (Send). */
    static final int MPA_RTR_SEND = 0x4000;
    /** In the word of ORD: ready to receive by a zero-length RDMA Write. */
    static final int MPA_RTR_WRITE = 0x8000;
    /** In the word of ORD: ready to receive by a zero-length RDMA Read. */
    static final int MPA_RTR_READ = 0x4000;
    /** The bits that hold IRD or ORD; all set: the value is not negotiated. */
    public static final int MPA_READS_MASK = 0x3fff;

    // MPA framing: RFC 5044 section 4
    public static final int MPA_LENGTH_SIZE = 2;
    public static final int MPA_CRC_SIZE = 4;
    public static final int MPA_MAX_ULPDU = 0xffff;

    // DDP: RFC 5041 section 4
    static final int DDP_TAGGED = 0x80;
    static final int DDP_LAST = 0x40;
    static final int DDP_VERSION_MASK = 0x03;
    public static final int DDP_VERSION = 1;

    // DDP queues as RDMAP uses them: RFC 5040 section 4
    public static final int QUEUE_SEND = 0;
    public static final int QUEUE_READ_REQUEST = 1;
    public static final int QUEUE_TERMINATE = 2;

    // RDMAP: RFC 5040 section 4.1
    public static final int RDMAP_VERSION = 0x40;
    static final int RDMAP_VERSION_MASK = 0xc0;
    static final int RDMAP_OPCODE_MASK = 0x0f;
    public static final int WRITE = 0;
    public static final int READ_REQUEST = 1;
    public static final int READ_RESPONSE = 2;
    public static final int SEND = 3;
    public static final int SEND_INVALIDATE = 4;
    public static final int SEND_SOLICITED = 5;
    public static final int SEND_SOLICITED_INVALIDATE = 6;
    public static final int TERMINATE = 7;

    // Terminate's header control bits: RFC 5040 section 4.8
    static final int TERMINATE_HAS_LENGTH = 0x80;
    static final int TERMINATE_HAS_DDP_HEADER = 0x40;
    static final int TERMINATE_HAS_RDMAP_HEADER = 0x20;

    public static final int LAYER_RDMAP = 0;
    static final int LAYER_DDP = 1;
    public static final int LAYER_LLP = 2;

    public static final int ETYPE_RDMAP_PROTECTION = 1;
    static final int ETYPE_RDMAP_OPERATION = 2;
    static final int ETYPE_DDP_TAGGED = 1;
    static final int ETYPE_DDP_UNTAGGED = 2;
    static final int ETYPE_MPA = 0;

    /** Errors that end a stream, with the layer, type and code that a Terminate carries for them. */
    public enum Fault {
        // RFC 5040 section 4.8, layer RDMAP
        RDMAP_INVALID_STAG(LAYER_RDMAP, ETYPE_RDMAP_PROTECTION, 0x00, "invalid steering tag"),
        RDMAP_BOUNDS(LAYER_RDMAP, ETYPE_RDMAP_PROTECTION, 0x01, "base or bounds violation"),
        RDMAP_ACCESS(LAYER_RDMAP, ETYPE_RDMAP_PROTECTION, 0x02, "access rights violation"),
        RDMAP_TO_WRAP(LAYER_RDMAP, ETYPE_RDMAP_PROTECTION, 0x04, "tagged offset wraps"),
        RDMAP_CANNOT_INVALIDATE(LAYER_RDMAP, ETYPE_RDMAP_PROTECTION, 0x09, "steering tag cannot be invalidated"),
        RDMAP_VERSION(LAYER_RDMAP, ETYPE_RDMAP_OPERATION, 0x05, "invalid RDMAP version"),
        RDMAP_OPCODE(LAYER_RDMAP, ETYPE_RDMAP_OPERATION, 0x06, "unexpected opcode"),
        // RFC 5041 section 8, layer DDP
        DDP_INVALID_STAG(LAYER_DDP, ETYPE_DDP_TAGGED, 0x00, "invalid steering tag"),
        DDP_BOUNDS(LAYER_DDP, ETYPE_DDP_TAGGED, 0x01, "base or bounds violation"),
        DDP_TO_WRAP(LAYER_DDP, ETYPE_DDP_TAGGED, 0x03, "tagged offset wraps"),
        DDP_TAGGED_VERSION(LAYER_DDP, ETYPE_DDP_TAGGED, 0x04, "invalid DDP version"),
        DDP_INVALID_QN(LAYER_DDP, ETYPE_DDP_UNTAGGED, 0x01, "invalid queue number"),
        DDP_NO_BUFFER(LAYER_DDP, ETYPE_DDP_UNTAGGED, 0x02, "no buffer for the message"),
        DDP_MSN_RANGE(LAYER_DDP, ETYPE_DDP_UNTAGGED, 0x03, "message sequence number out of range"),
        DDP_INVALID_MO(LAYER_DDP, ETYPE_DDP_UNTAGGED, 0x04, "invalid message offset"),
        DDP_TOO_LONG(LAYER_DDP, ETYPE_DDP_UNTAGGED, 0x05, "message too long for its buffer"),
        DDP_UNTAGGED_VERSION(LAYER_DDP, ETYPE_DDP_UNTAGGED, 0x06, "invalid DDP version"),
        // RFC 5044 section 8, layer LLP
        MPA_CRC(LAYER_LLP, ETYPE_MPA, 0x02, "CRC error"),
        MPA_FRAME(LAYER_LLP, ETYPE_MPA, 0x03, "ULPDU length is invalid");

        public final int layer;
        public final int type;
        final int code;
        final String text;

        Fault(int layer, int type, int code, String text) {
            this.layer = layer;
            this.type = type;
            this.code = code;
            this.text = text;
        }

        /** Whether the error is an access that was not granted. */
        boolean isProtection() {
            return (layer == LAYER_RDMAP && type == ETYPE_RDMAP_PROTECTION)
                    || this == DDP_INVALID_STAG
                    || this == DDP_BOUNDS
                    || this == DDP_TO_WRAP;
        }
    }

    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);

    private Iwarp() {}

    public static byte[] mpaKey(boolean reply) {
        return reply ? REPLY_KEY.clone() : REQUEST_KEY.clone();
    }

    /** The DDP queue of untagged messages of that opcode; negative where there is none. */
    public static int queueOf(int opcode) {
        return switch (opcode) {
            case SEND, SEND_INVALIDATE, SEND_SOLICITED, SEND_SOLICITED_INVALIDATE -> QUEUE_SEND;
            case READ_REQUEST -> QUEUE_READ_REQUEST;
            case TERMINATE -> QUEUE_TERMINATE;
            default -> -1;
        };
    }

    /** Whether messages of that opcode invalidate a steering tag. */
    public static boolean isInvalidating(int opcode) {
        return opcode == SEND_INVALIDATE || opcode == SEND_SOLICITED_INVALIDATE;
    }

    /** The padding octets that bring a ULPDU of that length, with its length field, to a multiple of four. */
    public static int padding(int ulpduLength) {
        return -(ulpduLength + MPA_LENGTH_SIZE) & 3;
    }
}
