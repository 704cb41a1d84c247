package io.verbena.itests.badpath;

/** What {@link BadPath} does to a connection. */
public enum Fault {
    /** Both sides see a reset of the connection. */
    RESET,
    /** Both sides see an orderly end; octets that they send meanwhile are lost. */
    END,
    /** Nothing is forwarded any more, and neither side sees an end. */
    SILENCE,
    /** One direction forwards nothing any more, and neither side sees an end. The other direction goes on. */
    HOLE,
    /** One direction stands still for a time, and then forwards all that was sent meanwhile. */
    PAUSE,
    /** As {@link #PAUSE}, for both directions. */
    STALL,
    /** A bit or several bits of one octet are changed. The connection goes on. */
    CORRUPTION,
    /** Both sides see a reset, and new connections are refused for a time. */
    REFUSAL
}
