package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;

/** WRITE (RFC 8881 section 18.32). The data is DDP-eligible (RFC 8267 section 5.2). */
public final class Write {
    private static final int MAX_DATA = 1 << 30;

    private Write() {}

    /**
     * The arguments.
     *
     * @param stateId an open, a lock or a special one
     * @param offset where to write
     * @param stable how safe the data must be
     * @param data what to write: by reference, and where it was decoded a view that is valid as long as the request is
     */
    public record Args(StateId stateId, long offset, StableHow stable, ByteBuffer data) {}

    /**
     * The results.
     *
     * @param count the octets written
     * @param committed how safe they are
     * @param verifier as in Commit
     */
    public record Result(int count, StableHow committed, long verifier) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.WRITE);
        args.stateId.encode(out);
        out.putLong(args.offset);
        args.stable.encode(out);
        out.putData(args.data);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(StateId.decode(in), in.getLong(), StableHow.decode(in), in.getData(MAX_DATA));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.WRITE);
        out.putInt(result.count);
        result.committed.encode(out);
        out.putLong(result.verifier);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(in.getInt(), StableHow.decode(in), in.getLong());
    }
}
