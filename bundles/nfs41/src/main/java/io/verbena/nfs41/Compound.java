package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;

/**
 * The COMPOUND procedure's frame (RFC 8881 section 16.2): {@code tag, minorversion, argarray<>} one way,
 * {@code status, tag, resarray<>} the other.
 *
 * <p>The codecs of all operations follow one rule: who encodes writes the whole {@code nfs_argop4} or
 * {@code nfs_resop4}, numbers included; who decodes has read the opcode (and a result's status) already, since only
 * they tell what follows. A result that failed has no body, but for SETATTR, LOCK and LOCKT.
 */
public final class Compound {
    /** RPC program number of NFS. */
    public static final int PROGRAM = 100003;

    /** Version of the RPC program. */
    public static final int VERSION = 4;

    public static final int PROC_NULL = 0;
    public static final int PROC_COMPOUND = 1;

    /** {@code minorversion} of NFSv4.1. */
    public static final int MINOR_VERSION = 1;

    static final int MAX_TAG = 1024;
    static final int MAX_OPERATIONS = 4096;

    private Compound() {}

    /**
     * The head of a request.
     *
     * @param tag what the client calls it; the reply repeats it
     * @param minorVersion 1 for NFSv4.1
     * @param operations how many follow
     */
    public record Args(String tag, int minorVersion, int operations) {}

    /**
     * The head of a reply.
     *
     * @param status of the last operation that was evaluated
     * @param tag the request's
     * @param operations how many results follow
     */
    public record Result(Status status, String tag, int operations) {}

    /**
     * Writes a request's head.
     *
     * @return the offset of the count of operations, for {@link XdrWriter#setInt} once it is known
     */
    public static int encodeArgs(XdrWriter out, Args args) {
        out.putString(args.tag).putInt(args.minorVersion).putInt(args.operations);
        return out.position() - 4;
    }

    /** Reads a request's head. */
    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getString(MAX_TAG), in.getInt(), in.getCount(MAX_OPERATIONS, 4));
    }

    /**
     * Writes a reply's head, its status and count to be known only later.
     *
     * @return what {@link #finishResult} wants
     */
    public static int encodeResult(XdrWriter out, String tag) {
        int statusAt = out.position();
        out.putInt(0).putString(tag).putInt(0);
        return statusAt;
    }

    /** Fills in what {@link #encodeResult} left open. {@code tag} is the one given there. */
    public static void finishResult(XdrWriter out, int statusAt, String tag, Status status, int operations) {
        int tagLength = XdrWriter.roundUp(tag.getBytes(StandardCharsets.UTF_8).length);
        out.setInt(statusAt, status.code());
        out.setInt(statusAt + 8 + tagLength, operations);
    }

    /** Reads a reply's head. */
    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(Status.decode(in), in.getString(MAX_TAG), in.getCount(MAX_OPERATIONS, 8));
    }

    /** Writes the result of an operation that failed, for all but SETATTR, LOCK denied and LOCKT denied. */
    public static void encodeFailure(XdrWriter out, int opcode, Status status) {
        out.putInt(opcode).putInt(status.code());
    }

    /**
     * Reads the head of the next operation's result.
     *
     * @param opcode what must stand there; a server that cannot read an operation answers {@link Opcode#ILLEGAL}
     * @return the operation's status; its body, if any, is what comes next
     */
    public static Status decodeStatus(XdrReader in, int opcode) throws XdrException {
        int found = in.getInt();
        if (found != opcode && found != Opcode.ILLEGAL) {
            throw new XdrException(
                    "result of " + Opcode.name(found) + " where " + Opcode.name(opcode) + " was expected",
                    in.position() - 4);
        }
        return Status.decode(in);
    }
}
