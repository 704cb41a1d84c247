package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code change_info4}: how an operation changed a directory (RFC 8881 section 3.3.3).
 *
 * @param atomic whether both were taken atomically with the operation
 * @param before the directory's change attribute before it
 * @param after and behind it
 */
public record ChangeInfo(boolean atomic, long before, long after) {
    public void encode(XdrWriter out) {
        out.putBoolean(atomic).putLong(before).putLong(after);
    }

    public static ChangeInfo decode(XdrReader in) throws XdrException {
        return new ChangeInfo(in.getBoolean(), in.getLong(), in.getLong());
    }
}
