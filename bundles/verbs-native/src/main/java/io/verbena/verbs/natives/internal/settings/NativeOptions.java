package io.verbena.verbs.natives.internal.settings;

import java.util.Map;

/**
 * The options that a user may set for a connection or a listener beside those of the contract. {@code crc} is refused:
 * a device handles checksums itself, and a user who sets the option must learn that it has no effect.
 *
 * @param pollMicros {@code poll=MICROSECONDS}: the polling phase of this connection
 */
public record NativeOptions(int pollMicros) {
    static final int MAX_POLL_MICROS = 1_000_000;

    /** These options, overridden by the given ones. */
    public NativeOptions with(Map<String, String> options) {
        NativeOptions result = this;
        for (Map.Entry<String, String> option : options.entrySet()) {
            if (option.getKey().equals("crc")) {
                throw new IllegalArgumentException("crc and nocrc are options of provider iwarp only: a device sees to"
                        + " its checksums itself; leave them out, or say provider=iwarp");
            }
            if (!option.getKey().equals("poll")) {
                throw new IllegalArgumentException(
                        "unknown option '" + option.getKey() + "' of provider native; known is poll");
            }
            result = new NativeOptions(micros(option.getValue()));
        }
        return result;
    }

    private static int micros(String value) {
        try {
            int micros = Integer.parseInt(value);
            if (micros >= 0 && micros <= MAX_POLL_MICROS) {
                return micros;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("option poll is a number of microseconds, not '" + value + "'", e);
        }
        throw new IllegalArgumentException("option poll is 0 to " + MAX_POLL_MICROS + " us, not " + value);
    }
}
