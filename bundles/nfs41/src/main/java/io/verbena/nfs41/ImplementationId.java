package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.Optional;

/**
 * {@code nfs_impl_id4}: what software the other end is, not to be acted upon (RFC 8881 section 3.3.13).
 *
 * @param domain its maker's DNS domain
 * @param name its name and version
 * @param date of its build
 */
public record ImplementationId(String domain, String name, NfsTime date) {
    public void encode(XdrWriter out) {
        out.putString(domain).putString(name);
        date.encode(out);
    }

    public static ImplementationId decode(XdrReader in) throws XdrException {
        return new ImplementationId(in.getString(Codec.MAX_NAME), in.getString(Codec.MAX_NAME), NfsTime.decode(in));
    }

    static void encodeOptional(XdrWriter out, Optional<ImplementationId> id) {
        out.putInt(id.isPresent() ? 1 : 0);
        id.ifPresent(present -> present.encode(out));
    }

    static Optional<ImplementationId> decodeOptional(XdrReader in) throws XdrException {
        return in.getCount(1, 20) == 0 ? Optional.empty() : Optional.of(decode(in));
    }
}
