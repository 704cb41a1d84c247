package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code fsid4} (RFC 8881 section 3.3.5).
 *
 * @param major first half
 * @param minor second half
 */
public record FileSystemId(long major, long minor) {
    public void encode(XdrWriter out) {
        out.putLong(major).putLong(minor);
    }

    public static FileSystemId decode(XdrReader in) throws XdrException {
        return new FileSystemId(in.getLong(), in.getLong());
    }
}
