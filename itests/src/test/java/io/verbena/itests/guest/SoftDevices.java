package io.verbena.itests.guest;

import io.verbena.verbs.Shortcoming;
import java.util.Set;

/**
 * The soft devices of Linux, which the contract excuses for what their drivers cannot do better; a card is excused for
 * nothing. The system property {@code verbena.contract.device} names the device behind the address.
 */
final class SoftDevices {
    /** Tags are its own but for the key of a window; RoCE's responder answers RNR NAK and goes on. */
    private static final Set<Shortcoming> RXE = Set.of(
            Shortcoming.DRAWS_TAGS_ITSELF,
            Shortcoming.MISSES_UNEXPECTED_MESSAGES,
            Shortcoming.TELLS_NOTHING_OF_LENGTHS);

    /** Its library tells of no error but that the queue pair was flushed. */
    private static final Set<Shortcoming> SIW = Set.of(
            Shortcoming.DRAWS_TAGS_ITSELF,
            Shortcoming.TELLS_NO_REASONS,
            Shortcoming.MISSES_UNEXPECTED_MESSAGES,
            Shortcoming.RAISES_READS,
            Shortcoming.TAKES_WRITES_FOR_READS,
            Shortcoming.COPIES_BEHIND_INVALIDATION,
            Shortcoming.TAKES_SHORT_REQUESTS);

    private SoftDevices() {}

    /** Of the device that the system property names; none of one that is not soft. */
    static Set<Shortcoming> shortcomingsOfNamed() {
        String name = System.getProperty("verbena.contract.device", "");
        return name.startsWith("rxe") ? RXE : name.startsWith("siw") ? SIW : Set.of();
    }
}
