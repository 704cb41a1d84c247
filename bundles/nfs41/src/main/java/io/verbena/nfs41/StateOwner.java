package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code state_owner4}: an open-owner or a lock-owner (RFC 8881 section 3.3.10).
 *
 * @param clientId of the client that it belongs to; servers of NFSv4.1 go by the session and ignore it
 * @param owner at most {@value #MAX_LENGTH} octets
 */
public record StateOwner(long clientId, Opaque owner) {
    /** {@code NFS4_OPAQUE_LIMIT}. */
    public static final int MAX_LENGTH = 1024;

    public void encode(XdrWriter out) {
        out.putLong(clientId);
        owner.encode(out);
    }

    public static StateOwner decode(XdrReader in) throws XdrException {
        return new StateOwner(in.getLong(), Opaque.decode(in, MAX_LENGTH));
    }
}
