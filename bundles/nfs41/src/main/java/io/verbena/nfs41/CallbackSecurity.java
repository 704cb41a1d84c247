package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code callback_sec_parms4}: how the server may authenticate its callbacks (RFC 8881 section 18.36.1). RPCSEC_GSS
 * handles are read over: they are of no use without RPCSEC_GSS.
 *
 * @param flavor 0 AUTH_NONE, 1 AUTH_SYS, 6 RPCSEC_GSS
 * @param sys who calls, where {@code flavor} is AUTH_SYS, else null
 */
public record CallbackSecurity(int flavor, SysParameters sys) {
    public static final CallbackSecurity NONE = new CallbackSecurity(SecurityFlavor.AUTH_NONE, null);

    private static final int MAX_FLAVORS = 16;
    private static final int MAX_GROUPS = 16;
    private static final int MAX_MACHINE = 255;
    private static final int MAX_HANDLE = 1024;

    /**
     * {@code authsys_parms} (RFC 5531 appendix A).
     *
     * @param stamp an arbitrary number
     * @param machineName at most 255 octets
     * @param uid the user, unsigned
     * @param gid the group, unsigned
     * @param groups at most 16 further groups
     */
    public record SysParameters(int stamp, String machineName, int uid, int gid, List<Integer> groups) {
        private void encode(XdrWriter out) {
            out.putInt(stamp).putString(machineName).putInt(uid).putInt(gid).putInt(groups.size());
            groups.forEach(out::putInt);
        }

        private static SysParameters decode(XdrReader in) throws XdrException {
            return new SysParameters(
                    in.getInt(), in.getString(MAX_MACHINE), in.getInt(), in.getInt(), decodeGroups(in));
        }

        private static List<Integer> decodeGroups(XdrReader in) throws XdrException {
            int count = in.getCount(MAX_GROUPS, 4);
            List<Integer> groups = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                groups.add(in.getInt());
            }
            return List.copyOf(groups);
        }
    }

    /** @throws IllegalStateException for RPCSEC_GSS, which is only ever received */
    private void encode(XdrWriter out) {
        if (flavor == SecurityFlavor.RPCSEC_GSS) {
            throw new IllegalStateException("RPCSEC_GSS is not offered");
        }
        out.putInt(flavor);
        if (flavor == SecurityFlavor.AUTH_SYS) {
            sys.encode(out);
        }
    }

    private static CallbackSecurity decode(XdrReader in) throws XdrException {
        int flavor = in.getInt();
        switch (flavor) {
            case SecurityFlavor.AUTH_NONE -> {
                return NONE;
            }
            case SecurityFlavor.AUTH_SYS -> {
                return new CallbackSecurity(flavor, SysParameters.decode(in));
            }
            case SecurityFlavor.RPCSEC_GSS -> {
                in.skip(4); // gcbp_service
                in.skipOpaque(MAX_HANDLE); // gcbp_handle_from_server
                in.skipOpaque(MAX_HANDLE); // gcbp_handle_from_client
                return new CallbackSecurity(flavor, null);
            }
            default -> throw new XdrException("callback security flavor " + flavor, in.position() - 4);
        }
    }

    static void encodeList(XdrWriter out, List<CallbackSecurity> list) {
        out.putInt(list.size());
        list.forEach(each -> each.encode(out));
    }

    static List<CallbackSecurity> decodeList(XdrReader in) throws XdrException {
        int count = in.getCount(MAX_FLAVORS, 4);
        List<CallbackSecurity> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(decode(in));
        }
        return List.copyOf(list);
    }
}
