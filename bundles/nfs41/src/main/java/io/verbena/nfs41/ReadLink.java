package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** READLINK: what the current symbolic link holds (RFC 8881 section 18.24), DDP-eligible (RFC 8267 5.1). */
public final class ReadLink {
    private ReadLink() {}

    /**
     * The results.
     *
     * @param text the link text
     */
    public record Result(String text) {}

    public static void encodeArgs(XdrWriter out) {
        out.putInt(Opcode.READLINK);
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.READLINK);
        out.putTextData(result.text);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(in.getTextData(Codec.MAX_LINK_TEXT));
    }
}
