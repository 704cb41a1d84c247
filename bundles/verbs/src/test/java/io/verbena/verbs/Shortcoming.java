package io.verbena.verbs;

/**
 * A deviation from the contract that an end is allowed because of its device or driver. The rest of the contract holds
 * for the end.
 */
public enum Shortcoming {
    /** The device chooses steering tags, except for one octet; the tests cannot prove how. */
    DRAWS_TAGS_ITSELF,

    /** The end learns that a connection has ended, but not why; only the peer may know the reason. */
    TELLS_NO_REASONS,

    /** The end does not learn of a message without a posted receive; its peer does. */
    MISSES_UNEXPECTED_MESSAGES,

    /** The end reports a message that is longer than its receive like any other failed receive. */
    TELLS_NOTHING_OF_LENGTHS,

    /** The accepting end answers as many reads at once as the peer asks for, not as many as it was told to offer. */
    RAISES_READS,

    /** The peer can also read memory that is open for its writes. */
    TAKES_WRITES_FOR_READS,

    /** A copy under way may still write to memory after its deregistration. */
    COPIES_BEHIND_INVALIDATION,

    /** The end takes at most 256 octets of private data in a request, of which the enhanced set-up uses 4. */
    TAKES_SHORT_REQUESTS,

    /** The end sometimes finds the good checksum of a long stream bad, and ends the connection. */
    FINDS_GOOD_CHECKSUMS_BAD
}
