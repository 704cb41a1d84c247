package io.verbena.itests.guest;

import io.verbena.verbs.Shortcoming;
import java.util.EnumSet;
import java.util.Set;

/**
 * The soft devices of Linux, which the contract excuses for what their drivers cannot do better; a card is excused for
 * nothing. The system property {@code verbena.contract.device} names the one behind the address.
 */
enum SoftDevice {
    /** Soft RoCE: tags are its own but for the key of a window; RoCE's responder answers RNR NAK and goes on. */
    RXE(Shortcoming.DRAWS_TAGS_ITSELF, Shortcoming.MISSES_UNEXPECTED_MESSAGES, Shortcoming.TELLS_NOTHING_OF_LENGTHS),

    /** Soft iWARP: its library tells of no error but that the queue pair was flushed. */
    SIW(
            Shortcoming.DRAWS_TAGS_ITSELF,
            Shortcoming.TELLS_NO_REASONS,
            Shortcoming.MISSES_UNEXPECTED_MESSAGES,
            Shortcoming.RAISES_READS,
            Shortcoming.TAKES_WRITES_FOR_READS,
            Shortcoming.TAKES_SHORT_REQUESTS);

    private final Set<Shortcoming> shortcomings;

    SoftDevice(Shortcoming first, Shortcoming... others) {
        shortcomings = EnumSet.of(first, others);
    }

    /** Of the device that the system property names; none of one that is not soft. */
    static Set<Shortcoming> shortcomingsOfNamed() {
        String name = System.getProperty("verbena.contract.device", "");
        for (SoftDevice device : values()) {
            if (name.regionMatches(true, 0, device.name(), 0, device.name().length())) {
                return device.shortcomings;
            }
        }
        return Set.of();
    }
}
