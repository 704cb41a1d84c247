package io.verbena.verbs.iwarp.internal;

/** How an initiator shows that it is ready to receive (RFC 6581 section 9): what its first FPDU is. */
public enum ReadyMode {
    /** A zero-length RDMA Read. Its response shows that the responder is ready as well. */
    READ(Iwarp.READ_REQUEST, 0, Iwarp.MPA_RTR_READ),
    /** A zero-length RDMA Write. */
    WRITE(Iwarp.WRITE, 0, Iwarp.MPA_RTR_WRITE),
    /** A zero-length Send, which takes no receive. */
    SEND(Iwarp.SEND, Iwarp.MPA_RTR_SEND, 0),
    /** Nothing of its own: the client-server model, in which the responder waits for the first message. */
    NONE(-1, 0, 0);

    /** The opcode of that FPDU. */
    final int opcode;

    private final int inboundBit;
    private final int outboundBit;

    ReadyMode(int opcode, int inboundBit, int outboundBit) {
        this.opcode = opcode;
        this.inboundBit = inboundBit;
        this.outboundBit = outboundBit;
    }

    /** Its flags in an MPA frame's word of IRD. */
    int inboundFlags() {
        return this == NONE ? 0 : Iwarp.MPA_PEER_TO_PEER | inboundBit;
    }

    /** Its flags in an MPA frame's word of ORD. */
    int outboundFlags() {
        return outboundBit;
    }

    /** The first of the modes that a frame names, or null when it wants the peer-to-peer model and names none. */
    static ReadyMode of(MpaFrame frame) {
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
