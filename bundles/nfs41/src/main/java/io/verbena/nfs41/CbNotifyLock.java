package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CB_NOTIFY_LOCK: a lock that was denied may be had now (RFC 8881 section 20.11). */
public final class CbNotifyLock {
    private CbNotifyLock() {}

    /**
     * The arguments.
     *
     * @param object the file
     * @param owner whose lock was denied
     */
    public record Args(FileHandle object, StateOwner owner) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CB_NOTIFY_LOCK);
        args.object.encode(out);
        args.owner.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(FileHandle.decode(in), StateOwner.decode(in));
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.CB_NOTIFY_LOCK);
    }
}
