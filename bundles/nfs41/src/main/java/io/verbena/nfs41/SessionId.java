package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code sessionid4} (RFC 8881 section 2.10).
 *
 * @param high octets 0 to 7
 * @param low octets 8 to 15
 */
public record SessionId(long high, long low) {
    public void encode(XdrWriter out) {
        out.putLong(high).putLong(low);
    }

    public static SessionId decode(XdrReader in) throws XdrException {
        return new SessionId(in.getLong(), in.getLong());
    }
}
