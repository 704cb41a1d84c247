package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code secinfo4}: a way to authenticate that a server accepts (RFC 8881 section 18.29.2).
 *
 * @param flavor of RPC authentication: 0 AUTH_NONE, 1 AUTH_SYS, 6 RPCSEC_GSS
 * @param gss the mechanism where {@code flavor} is RPCSEC_GSS
 */
public record SecurityFlavor(int flavor, Optional<GssInfo> gss) {
    public static final int AUTH_NONE = 0;
    public static final int AUTH_SYS = 1;
    public static final int RPCSEC_GSS = 6;

    private static final int MAX_FLAVORS = 64;
    private static final int MAX_OID = 256;

    /**
     * {@code rpcsec_gss_info}.
     *
     * @param oid the mechanism's object identifier, in DER
     * @param qop quality of protection
     * @param service 1 none, 2 integrity, 3 privacy
     */
    public record GssInfo(Opaque oid, int qop, int service) {}

    /** A flavor that needs no more than its number. */
    public static SecurityFlavor of(int flavor) {
        return new SecurityFlavor(flavor, Optional.empty());
    }

    static void encodeList(XdrWriter out, List<SecurityFlavor> flavors) {
        out.putInt(flavors.size());
        for (SecurityFlavor each : flavors) {
            out.putInt(each.flavor);
            each.gss.ifPresent(info -> {
                info.oid.encode(out);
                out.putInt(info.qop).putInt(info.service);
            });
        }
    }

    static List<SecurityFlavor> decodeList(XdrReader in) throws XdrException {
        int count = in.getCount(MAX_FLAVORS, 4);
        List<SecurityFlavor> flavors = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int flavor = in.getInt();
            Optional<GssInfo> gss = flavor == RPCSEC_GSS
                    ? Optional.of(new GssInfo(Opaque.decode(in, MAX_OID), in.getInt(), in.getInt()))
                    : Optional.empty();
            flavors.add(new SecurityFlavor(flavor, gss));
        }
        return List.copyOf(flavors);
    }
}
