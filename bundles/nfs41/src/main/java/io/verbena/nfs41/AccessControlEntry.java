package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code nfsace4} (RFC 8881 section 6.2.1).
 *
 * @param type allow, deny, audit or alarm
 * @param flags how it is inherited, and whether {@code who} is a group
 * @param mask the permissions
 * @param who whom it concerns
 */
public record AccessControlEntry(int type, int flags, int mask, String who) {
    public void encode(XdrWriter out) {
        out.putInt(type).putInt(flags).putInt(mask).putString(who);
    }

    public static AccessControlEntry decode(XdrReader in) throws XdrException {
        return new AccessControlEntry(in.getInt(), in.getInt(), in.getInt(), in.getString(Codec.MAX_NAME));
    }
}
