package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** {@code nfs_lock_type4} (RFC 8881 section 18.10.1). */
public enum LockType {
    READ_LT(1),
    WRITE_LT(2),
    READW_LT(3),
    WRITEW_LT(4);

    private static final LockType[] VALUES = values();

    private final int code;

    LockType(int code) {
        this.code = code;
    }

    /** Whether it excludes every other lock. */
    public boolean isWrite() {
        return this == WRITE_LT || this == WRITEW_LT;
    }

    public void encode(XdrWriter out) {
        out.putInt(code);
    }

    public static LockType decode(XdrReader in) throws XdrException {
        int code = in.getInt();
        if (code < 1 || code > VALUES.length) {
            throw new XdrException("nfs_lock_type4 " + Integer.toUnsignedString(code), in.position() - 4);
        }
        return VALUES[code - 1];
    }
}
