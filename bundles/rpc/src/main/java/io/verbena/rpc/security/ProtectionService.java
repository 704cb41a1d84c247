package io.verbena.rpc.security;

/** {@code rpc_gss_service_t}: what a flavor protects of a call (RFC 2203 section 5.3.1). */
public enum ProtectionService {
    /** The header: who calls. */
    NONE(1),
    /** Arguments and results too, against changes. */
    INTEGRITY(2),
    /** Arguments and results too, against readers. */
    PRIVACY(3);

    private final int number;

    ProtectionService(int number) {
        this.number = number;
    }

    /** The number on the wire. */
    public int number() {
        return number;
    }

    /**
     * The service of a number.
     *
     * @throws IllegalArgumentException where there is none
     */
    public static ProtectionService of(int number) {
        for (ProtectionService each : values()) {
            if (each.number == number) {
                return each;
            }
        }
        throw new IllegalArgumentException("service " + number + " of RPCSEC_GSS: 1 to 3 are known");
    }
}
