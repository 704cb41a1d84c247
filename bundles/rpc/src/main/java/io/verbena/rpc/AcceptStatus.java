package io.verbena.rpc;

/** {@code accept_stat} of an accepted reply (RFC 5531 section 9). */
public enum AcceptStatus {
    SUCCESS(0),
    PROG_UNAVAIL(1),
    PROG_MISMATCH(2),
    PROC_UNAVAIL(3),
    GARBAGE_ARGS(4),
    SYSTEM_ERR(5);

    private final int code;

    AcceptStatus(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }
}
