package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code state_protect4_a} and {@code state_protect4_r}: how state is guarded from other clients (RFC 8881 section
 * 18.35). The parameters of SP4_SSV are read over: it is neither asked for nor granted here.
 *
 * @param how the kind
 * @param mustEnforce operations, by number, that the machine credential is required for; of SP4_MACH_CRED and SP4_SSV
 * @param mustAllow operations, by number, that it is allowed for; likewise
 */
public record StateProtection(How how, AttributeMask mustEnforce, AttributeMask mustAllow) {
    /** {@code SP4_NONE}. */
    public static final StateProtection NONE =
            new StateProtection(How.SP4_NONE, AttributeMask.EMPTY, AttributeMask.EMPTY);

    private static final int MAX_LIST = 64;
    private static final int MAX_OID = 256;
    private static final int MAX_HANDLE = 1024;

    /** {@code state_protect_how4}. */
    public enum How {
        SP4_NONE,
        SP4_MACH_CRED,
        SP4_SSV
    }

    /**
     * {@code SP4_MACH_CRED} that enforces these operations, and allows no further ones.
     *
     * @param operations by number
     */
    public static StateProtection machine(int... operations) {
        return new StateProtection(How.SP4_MACH_CRED, AttributeMask.ofNumbers(operations), AttributeMask.EMPTY);
    }

    /** Whether the machine credential is required for an operation. */
    public boolean enforces(int operation) {
        return mustEnforce.contains(operation);
    }

    /** The operations that this and {@code that} enforce, and none that are allowed beside. */
    public StateProtection enforcing(StateProtection that) {
        return new StateProtection(how, mustEnforce.and(that.mustEnforce), AttributeMask.EMPTY);
    }

    /** @throws IllegalStateException for SP4_SSV, which is only ever received */
    void encode(XdrWriter out) {
        if (how == How.SP4_SSV) {
            throw new IllegalStateException("SP4_SSV is not offered");
        }
        out.putInt(how == How.SP4_NONE ? 0 : 1);
        if (how == How.SP4_MACH_CRED) {
            mustEnforce.encode(out);
            mustAllow.encode(out);
        }
    }

    static StateProtection decodeArgs(XdrReader in) throws XdrException {
        StateProtection protection = decodeCommon(in);
        if (protection.how == How.SP4_SSV) {
            skipOpaques(in, MAX_OID); // ssp_hash_algs
            skipOpaques(in, MAX_OID); // ssp_encr_algs
            in.skip(8); // ssp_window, ssp_num_gss_handles
        }
        return protection;
    }

    static StateProtection decodeResult(XdrReader in) throws XdrException {
        StateProtection protection = decodeCommon(in);
        if (protection.how == How.SP4_SSV) {
            in.skip(16); // spi_hash_alg, spi_encr_alg, spi_ssv_len, spi_window
            skipOpaques(in, MAX_HANDLE); // spi_handles
        }
        return protection;
    }

    private static StateProtection decodeCommon(XdrReader in) throws XdrException {
        return switch (Codec.enumeration(in, 2, "state_protect_how4")) {
            case 0 -> NONE;
            case 1 -> new StateProtection(How.SP4_MACH_CRED, AttributeMask.decode(in), AttributeMask.decode(in));
            default -> new StateProtection(How.SP4_SSV, AttributeMask.decode(in), AttributeMask.decode(in));
        };
    }

    private static void skipOpaques(XdrReader in, int max) throws XdrException {
        for (int count = in.getCount(MAX_LIST, 4); count > 0; count--) {
            in.skipOpaque(max);
        }
    }
}
