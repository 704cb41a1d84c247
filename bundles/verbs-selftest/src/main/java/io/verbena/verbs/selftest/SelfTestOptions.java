package io.verbena.verbs.selftest;

import java.time.Duration;
import java.util.Map;

/**
 * The options of a test.
 *
 * @param messageSize the octets of each message of the latency measurement
 * @param time the duration of each measurement, after a warm-up of a tenth of it
 * @param count the approximate number of measured messages or transfers, where the time allows; 0 for as many as it
 *     allows
 * @param timeout for connecting, and for each answer of the other end
 * @param provider the provider's options for its connections
 */
public record SelfTestOptions(
        int messageSize, Duration time, int count, Duration timeout, Map<String, String> provider) {
    /** The longest message of a latency measurement. */
    public static final int MAX_MESSAGE_SIZE = 4096;

    /** The longest duration of a measurement. */
    public static final Duration MAX_TIME = Duration.ofSeconds(60);

    /** One second for each measurement. */
    public static final SelfTestOptions DEFAULT =
            new SelfTestOptions(64, Duration.ofSeconds(1), 0, Duration.ofSeconds(10), Map.of());

    public SelfTestOptions {
        provider = Map.copyOf(provider);
        if (messageSize < 1 || messageSize > MAX_MESSAGE_SIZE) {
            throw new IllegalArgumentException("messages have 1 to " + MAX_MESSAGE_SIZE + " octets");
        }
        if (time.isNegative() || time.isZero() || time.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(
                    "a measurement takes more than 0 and up to " + MAX_TIME.toSeconds() + " s");
        }
        if (count < 0) {
            throw new IllegalArgumentException("the count is 1 or more");
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("the time-out is more than 0");
        }
    }
}
