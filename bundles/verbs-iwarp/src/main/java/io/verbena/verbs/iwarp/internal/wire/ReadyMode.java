package io.verbena.verbs.iwarp.internal.wire;

/** How an initiator shows that it is ready to receive (RFC 6581 section 9): the kind of its first FPDU. */
public enum ReadyMode {
    /** A zero-length RDMA Read. Its response shows that the responder is ready too. */
    READ(Iwarp.READ_REQUEST, 0, Iwarp.MPA_RTR_READ),
    /** A zero-length RDMA Write. */
    WRITE(Iwarp.WRITE, 0, Iwarp.MPA_RTR_WRITE),
    /** A zero-length Send, which consumes no posted receive. */
    SEND(Iwarp.SEND, Iwarp.MPA_RTR_SEND, 0),
    /** No FPDU for it: the client-server model, in which the responder waits for the first message. */
    NONE(-1, 0, 0);

    /** The RDMAP opcode of that FPDU. */
    public final int opcode;

    private final int inboundBit;
    private final int outboundBit;

    ReadyMode(int opcode, int inboundBit, int outboundBit) {
        this.opcode = opcode;
        this.inboundBit = inboundBit;
        this.outboundBit = outboundBit;
    }

    /** The mode's flags in the word of an MPA frame that holds IRD. */
    public int inboundFlags() {
        return this == NONE ? 0 : Iwarp.MPA_PEER_TO_PEER | inboundBit;
    }

    /** The mode's flags in the word of an MPA frame that holds ORD. */
    public int outboundFlags() {
        return outboundBit;
    }

    /**
     * The first of the modes that a frame names; null where the frame asks for the peer-to-peer model and names no
     * mode.
     */
    public static ReadyMode of(MpaFrame frame) {
        if ((frame.inboundReads() & Iwarp.MPA_PEER_TO_PEER) == 0) {
            return NONE;
        }
        for (ReadyMode mode : values()) {
            if (mode != NONE
                    && ((frame.inboundReads() & mode.inboundBit) != 0
                            || (frame.outboundReads() & mode.outboundBit) != 0)) {
                return mode;
            }
        }
        return null;
    }
}
