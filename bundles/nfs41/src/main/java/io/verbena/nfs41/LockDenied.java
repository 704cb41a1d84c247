package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code LOCK4denied}: a lock that is in the way (RFC 8881 section 18.10.2).
 *
 * @param offset where it starts
 * @param length in octets, all ones to the end of the file
 * @param type read or write
 * @param owner whose it is
 */
public record LockDenied(long offset, long length, LockType type, StateOwner owner) {
    public void encode(XdrWriter out) {
        out.putLong(offset).putLong(length);
        type.encode(out);
        owner.encode(out);
    }

    public static LockDenied decode(XdrReader in) throws XdrException {
        return new LockDenied(in.getLong(), in.getLong(), LockType.decode(in), StateOwner.decode(in));
    }
}
