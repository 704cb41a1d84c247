package io.verbena.verbs.selftest;

import java.time.Duration;
import java.util.Map;

/**
 * How a test is done.
 *
 * @param messageSize octets of each message whose latency is measured
 * @param time how long each measurement takes, after a tenth of it to warm up
 * @param count about how many messages or transfers are measured, where the time allows; 0 is as many as it allows
 * @param timeout for connecting, and for each answer of the other end
 * @param provider options of the provider's for its connections
 */
public record SelfTestOptions(
        int messageSize, Duration time, int count, Duration timeout, Map<String, String> provider) {
    /** The longest message whose latency is measured. */
    public static final int MAX_MESSAGE_SIZE = 4096;

    /** The longest that a measurement may take. */
    public static final Duration MAX_TIME = Duration.ofSeconds(60);

    /** A second for each measurement. */
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
