package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** {@code stable_how4}: how safe written data is (RFC 8881 section 18.32.1). */
public enum StableHow {
    UNSTABLE4(0),
    DATA_SYNC4(1),
    FILE_SYNC4(2);

    private static final StableHow[] VALUES = values();

    private final int code;

    StableHow(int code) {
        this.code = code;
    }

    /** The number on the wire; more is safer. */
    public int code() {
        return code;
    }

    public void encode(XdrWriter out) {
        out.putInt(code);
    }

    public static StableHow decode(XdrReader in) throws XdrException {
        return VALUES[Codec.enumeration(in, VALUES.length - 1, "stable_how4")];
    }
}
