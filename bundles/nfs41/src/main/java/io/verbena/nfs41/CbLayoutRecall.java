package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CB_LAYOUTRECALL: the server wants layouts back (RFC 8881 section 20.3). */
public final class CbLayoutRecall {
    private static final int RECALL_FILE = 1;
    private static final int RECALL_FSID = 2;
    private static final int RECALL_ALL = 3;

    private CbLayoutRecall() {}

    /** {@code layoutrecall4}: which layouts. */
    public sealed interface Scope {}

    /**
     * LAYOUTRECALL4_FILE: those of a range of a file.
     *
     * @param object the file
     * @param offset where the range starts
     * @param length in octets, all ones to the end of the file
     * @param stateId the layout
     */
    public record OfFile(FileHandle object, long offset, long length, StateId stateId) implements Scope {}

    /**
     * LAYOUTRECALL4_FSID: those of a file system.
     *
     * @param fsid the file system
     */
    public record OfFileSystem(FileSystemId fsid) implements Scope {}

    /** LAYOUTRECALL4_ALL: all that the server has given the client. */
    public record All() implements Scope {}

    /**
     * The arguments.
     *
     * @param layoutType the kind of layouts, of the registry of section 22.5
     * @param ioMode {@code layoutiomode4}: 1 to read, 2 to read and write, 3 any
     * @param changed whether the layouts are about to be changed, so that the client had better not write through them
     * @param scope which layouts
     */
    public record Args(int layoutType, int ioMode, boolean changed, Scope scope) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CB_LAYOUTRECALL).putInt(args.layoutType).putInt(args.ioMode);
        out.putBoolean(args.changed);
        if (args.scope instanceof OfFile file) {
            out.putInt(RECALL_FILE);
            file.object.encode(out);
            out.putLong(file.offset).putLong(file.length);
            file.stateId.encode(out);
        } else if (args.scope instanceof OfFileSystem system) {
            out.putInt(RECALL_FSID);
            system.fsid.encode(out);
        } else {
            out.putInt(RECALL_ALL);
        }
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getInt(), in.getInt(), in.getBoolean(), decodeScope(in));
    }

    private static Scope decodeScope(XdrReader in) throws XdrException {
        int type = in.getInt();
        return switch (type) {
            case RECALL_FILE -> new OfFile(FileHandle.decode(in), in.getLong(), in.getLong(), StateId.decode(in));
            case RECALL_FSID -> new OfFileSystem(FileSystemId.decode(in));
            case RECALL_ALL -> new All();
            default ->
                throw new XdrException("layoutrecall_type4 " + Integer.toUnsignedString(type), in.position() - 4);
        };
    }

    public static void encodeResult(XdrWriter out) {
        Codec.ok(out, Opcode.CB_LAYOUTRECALL);
    }
}
