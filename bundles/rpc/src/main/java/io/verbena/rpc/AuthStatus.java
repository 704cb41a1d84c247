package io.verbena.rpc;

/** {@code auth_stat}: why a call's credential or verifier was refused (RFC 5531 section 9). */
public enum AuthStatus {
    AUTH_OK(0),
    AUTH_BADCRED(1),
    AUTH_REJECTEDCRED(2),
    AUTH_BADVERF(3),
    AUTH_REJECTEDVERF(4),
    AUTH_TOOWEAK(5),
    AUTH_INVALIDRESP(6),
    AUTH_FAILED(7),
    RPCSEC_GSS_CREDPROBLEM(13),
    RPCSEC_GSS_CTXPROBLEM(14);

    private final int code;

    AuthStatus(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** The status of a number; an unknown number counts as {@link #AUTH_FAILED}. */
    public static AuthStatus of(int code) {
        for (AuthStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        return AUTH_FAILED;
    }
}
