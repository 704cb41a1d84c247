package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** {@code nfs_ftype4}: kinds of objects (RFC 8881 section 3.2). */
public enum ObjectType {
    NF4REG(1),
    NF4DIR(2),
    NF4BLK(3),
    NF4CHR(4),
    NF4LNK(5),
    NF4SOCK(6),
    NF4FIFO(7),
    NF4ATTRDIR(8),
    NF4NAMEDATTR(9);

    private static final ObjectType[] VALUES = values();

    private final int code;

    ObjectType(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    public void encode(XdrWriter out) {
        out.putInt(code);
    }

    public static ObjectType decode(XdrReader in) throws XdrException {
        int code = in.getInt();
        if (code < 1 || code > VALUES.length) {
            throw new XdrException("nfs_ftype4 " + Integer.toUnsignedString(code), in.position() - 4);
        }
        return VALUES[code - 1];
    }
}
