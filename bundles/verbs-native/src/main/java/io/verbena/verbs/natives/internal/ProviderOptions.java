package io.verbena.verbs.natives.internal;

import java.util.Map;

/**
 * What a user may set for a connection or a listener beyond the contract's own options. There is no {@code crc}: it is
 * the device's own business, and a user who asks for something about it has to know that nobody listened.
 *
 * @param pollMicros {@code poll=MICROSECONDS}: the polling phase of this connection
 */
record ProviderOptions(int pollMicros) {
    static final int MAX_POLL_MICROS = 1_000_000;

    /** These options with the given ones on top. */
    ProviderOptions with(Map<String, String> options) {
        ProviderOptions result = this;
        for (Map.Entry<String, String> option : options.entrySet()) {
            if (option.getKey().equals("crc")) {
                throw new IllegalArgumentException("crc and nocrc are options of provider iwarp only: a device sees to"
                        + " its checksums itself; leave them out, or say provider=iwarp");
            }
            if (!option.getKey().equals("poll")) {
                throw new IllegalArgumentException(
                        "unknown option '" + option.getKey() + "' of provider native; known is poll");
            }
            result = new ProviderOptions(micros(option.getValue()));
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
