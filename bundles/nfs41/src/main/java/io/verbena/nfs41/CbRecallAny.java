package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CB_RECALL_ANY: the client shall keep no more than so many recallable objects (RFC 8881 section 20.6). */
public final class CbRecallAny {
    /** {@code RCA4_TYPE_MASK_RDATA_DLG}, as a bit: read delegations. */
    public static final int READ_DELEGATIONS = 1;

    /** {@code RCA4_TYPE_MASK_WDATA_DLG}: write delegations. */
    public static final int WRITE_DELEGATIONS = 1 << 1;

    /** {@code RCA4_TYPE_MASK_DIR_DLG}: delegations of directories. */
    public static final int DIRECTORY_DELEGATIONS = 1 << 2;

    /**
     * All bits that have a meaning: those of delegations, and of layouts 3, 4, 8, 9, 12 to 15 (section 20.6.1), 16 and
     * 17 (RFC 8435 section 14).
     */
    public static final int DEFINED_TYPES = 0x3f31f;

    private static final int MAX_WORDS = 64;

    private CbRecallAny() {}

    /**
     * The arguments.
     *
     * @param objectsToKeep how many the client may keep, unsigned
     * @param types which kinds shall go: bits of the constants above. Those from 31 up are nobody's, and any of them
     *     reads as bit 31; a client answers bits of no meaning with {@link Status#NFS4ERR_INVAL}
     */
    public record Args(int objectsToKeep, int types) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CB_RECALL_ANY).putInt(args.objectsToKeep);
        out.putInt(1).putInt(args.types);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getInt(), decodeTypes(in));
    }

    private static int decodeTypes(XdrReader in) throws XdrException {
        int words = in.getCount(MAX_WORDS, 4);
        int types = words > 0 ? in.getInt() : 0;
        for (int i = 1; i < words; i++) {
            types |= in.getInt() == 0 ? 0 : 1 << 31;
        }
        return types;
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.CB_RECALL_ANY);
    }
}
