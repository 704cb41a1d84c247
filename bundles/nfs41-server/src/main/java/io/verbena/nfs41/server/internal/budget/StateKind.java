package io.verbena.nfs41.server.internal.budget;

/**
 * The kinds of clients' state on the server's heap, and the octets that one of each takes: the objects, their entries
 * in tables, and all else that comes and goes with them. Estimates for a 64-bit JVM, rather too high.
 */
public enum StateKind {
    /** A client, confirmed or not, without its owner. */
    CLIENTS(2048),

    /** A session, with its back channel and as many bound connections as it may have, without slots. */
    SESSIONS(4096),

    /** A slot of a session, with a reply to a lone SEQUENCE. */
    SLOTS(192),

    /** An array for a reply in a slot, without the reply. */
    REPLIES(16),

    /** An open, and the file's own record, without the open-owner. */
    OPENS(768),

    /** A lock-owner of an open, without its name. */
    LOCK_OWNERS(384),

    /** A range that is locked. */
    LOCKED_RANGES(64),

    /** A delegation, and the callback that recalls it. */
    DELEGATIONS(768);

    private final long octets;

    StateKind(long octets) {
        this.octets = octets;
    }

    /** The octets of one. */
    public long octets() {
        return octets;
    }
}
