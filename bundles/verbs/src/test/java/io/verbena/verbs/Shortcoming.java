package io.verbena.verbs;

/**
 * What an end may be excused for because the device below it, or its driver, cannot do better. Everything else of the
 * contract holds for it all the same.
 */
public enum Shortcoming {
    /** The device draws steering tags, but for an octet; how it does is not ours to prove. */
    DRAWS_TAGS_ITSELF,

    /** It tells that a connection is gone, but not why; the reason is in the peer's hands, or in nobody's. */
    TELLS_NO_REASONS,

    /** It does not learn of a message for which nothing is posted; its peer does. */
    MISSES_UNEXPECTED_MESSAGES,

    /** It tells of a message that is longer than its receive as of any other that came to nothing. */
    TELLS_NOTHING_OF_LENGTHS,

    /** As an acceptor it answers as many reads at once as the peer asks for, whatever it was to offer. */
    RAISES_READS,

    /** Memory that is open to be written by the peer can be read by it, too. */
    TAKES_WRITES_FOR_READS,

    /** Memory that it has deregistered may still get what it is copying at that moment. */
    COPIES_BEHIND_INVALIDATION,

    /** It takes requests of 256 octets of private data at the most, of which the enhanced set-up has 4. */
    TAKES_SHORT_REQUESTS
}
