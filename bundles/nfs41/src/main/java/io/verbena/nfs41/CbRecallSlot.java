package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CB_RECALL_SLOT: the client shall use fewer slots of its session (RFC 8881 section 20.8). */
public final class CbRecallSlot {
    private CbRecallSlot() {}

    /**
     * The arguments.
     *
     * @param targetHighestSlotId the highest slot that the server wishes the client to use, unsigned
     */
    public record Args(int targetHighestSlotId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CB_RECALL_SLOT).putInt(args.targetHighestSlotId);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getInt());
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.CB_RECALL_SLOT);
    }
}
