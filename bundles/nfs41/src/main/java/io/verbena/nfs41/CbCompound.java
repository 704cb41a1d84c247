package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * The CB_COMPOUND procedure's frame (RFC 8881 section 20): {@code tag, minorversion, callback_ident, argarray<>} one
 * way. What comes back looks like the reply to a COMPOUND, so {@link Compound#encodeResult},
 * {@link Compound#finishResult}, {@link Compound#encodeFailure} and {@link Compound#decodeResult} serve for it, too;
 * the codecs of the operations follow the rule that is told there.
 *
 * <p>CB_NOTIFY, CB_PUSH_DELEG, CB_RECALLABLE_OBJ_AVAIL, CB_WANTS_CANCELLED and CB_NOTIFY_DEVICEID have no codec: nobody
 * here asks for what they bring. An operation that is answered with an error ends its compound, so that they need not
 * be read over either.
 */
public final class CbCompound {
    /** Version of the RPC program, whose number the client chooses (section 2.10.3.1). */
    public static final int VERSION = 1;

    public static final int PROC_NULL = 0;
    public static final int PROC_COMPOUND = 1;

    private CbCompound() {}

    /**
     * The head of a request. {@code callback_ident} is of NFSv4.0 only: written as 0, passed over when read.
     *
     * @param tag what the server calls it; the reply repeats it
     * @param minorVersion 1 for NFSv4.1
     * @param operations how many follow
     */
    public record Args(String tag, int minorVersion, int operations) {}

    /**
     * Writes a request's head.
     *
     * @return the offset of the count of operations, for {@link XdrWriter#setInt} once it is known
     */
    public static int encodeArgs(XdrWriter out, Args args) {
        out.putString(args.tag).putInt(args.minorVersion).putInt(0).putInt(args.operations);
        return out.position() - 4;
    }

    /** Reads a request's head. */
    public static Args decodeArgs(XdrReader in) throws XdrException {
        String tag = in.getString(Compound.MAX_TAG);
        int minorVersion = in.getInt();
        in.skip(4); // callback_ident
        return new Args(tag, minorVersion, in.getCount(Compound.MAX_OPERATIONS, 4));
    }

    /**
     * Reads the head of the next operation's result.
     *
     * @param opcode what must stand there; a client that cannot read an operation answers {@link Opcode#CB_ILLEGAL}
     * @return the operation's status; its body, if any, is what comes next
     */
    public static Status decodeStatus(XdrReader in, int opcode) throws XdrException {
        int found = in.getInt();
        if (found != opcode && found != Opcode.CB_ILLEGAL) {
            throw new XdrException(
                    "result of " + Opcode.callbackName(found) + " where " + Opcode.callbackName(opcode)
                            + " was expected",
                    in.position() - 4);
        }
        return Status.decode(in);
    }
}
