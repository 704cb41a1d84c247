package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;

/** READ (RFC 8881 section 18.22). The data is DDP-eligible (RFC 8267 section 5.2). */
public final class Read {
    private static final int MAX_DATA = 1 << 30;

    private Read() {}

    /**
     * The arguments.
     *
     * @param stateId an open, a lock or a special one
     * @param offset where to read
     * @param count the octets wanted, unsigned
     */
    public record Args(StateId stateId, long offset, int count) {}

    /**
     * The results.
     *
     * @param eof whether the data reaches to the end of the file
     * @param data what was read: by reference, and where it was decoded a view that is valid as long as the reply is
     */
    public record Result(boolean eof, ByteBuffer data) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.READ);
        args.stateId.encode(out);
        out.putLong(args.offset).putInt(args.count);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(StateId.decode(in), in.getLong(), in.getInt());
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.READ).putBoolean(result.eof).putData(result.data);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(in.getBoolean(), in.getData(MAX_DATA));
    }

    /**
     * As {@link #decodeResult}, the data into {@code sink}, whose position advances by what was read.
     *
     * @return {@code eof}
     */
    public static boolean decodeResultInto(XdrReader in, ByteBuffer sink) throws XdrException {
        boolean eof = in.getBoolean();
        in.getDataInto(sink);
        return eof;
    }
}
