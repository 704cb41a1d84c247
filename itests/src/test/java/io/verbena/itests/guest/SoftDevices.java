package io.verbena.itests.guest;

import io.verbena.verbs.Shortcoming;
import java.util.Set;

/**
 * The soft devices of Linux, with the shortcomings of their drivers that the tests allow; hardware is allowed none. The
 * system property {@code verbena.contract.device} names the device of the address.
 */
final class SoftDevices {
    /** The device chooses tags, except for the key of a window; RoCE's responder answers RNR NAK and continues. */
    private static final Set<Shortcoming> RXE = Set.of(
            Shortcoming.DRAWS_TAGS_ITSELF,
            Shortcoming.MISSES_UNEXPECTED_MESSAGES,
            Shortcoming.TELLS_NOTHING_OF_LENGTHS);

    /** The library reports no error except the flush of the queue pair. */
    private static final Set<Shortcoming> SIW = Set.of(
            Shortcoming.DRAWS_TAGS_ITSELF,
            Shortcoming.TELLS_NO_REASONS,
            Shortcoming.MISSES_UNEXPECTED_MESSAGES,
            Shortcoming.RAISES_READS,
            Shortcoming.TAKES_WRITES_FOR_READS,
            Shortcoming.COPIES_BEHIND_INVALIDATION,
            Shortcoming.TAKES_SHORT_REQUESTS,
            Shortcoming.FINDS_GOOD_CHECKSUMS_BAD);

    private SoftDevices() {}

    /** The shortcomings of the device that the system property names; none for a device that is not soft. */
    static Set<Shortcoming> shortcomingsOfNamed() {
        String name = System.getProperty("verbena.contract.device", "");
        return name.startsWith("rxe") ? RXE : name.startsWith("siw") ? SIW : Set.of();
    }
}
