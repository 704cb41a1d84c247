package io.verbena.verbs.iwarp.internal.settings;

import io.verbena.verbs.iwarp.internal.wire.ReadyMode;
import java.util.Locale;
import java.util.Map;

/**
 * The options that a user may set for a connection or a listener beside those of the contract.
 *
 * @param crc {@code crc=on|off}: whether to ask for CRC32C; it is used when either end asks
 * @param ready {@code rtr=read|write|send|none}: how an initiator shows that it is ready to receive
 * @param settleMillis {@code settle=MILLISECONDS}: how long an initiator waits between the MPA reply and its first
 *     FPDU; only where nothing shows that the responder is ready, so not with {@code rtr=read}
 * @param pollMicros {@code poll=MICROSECONDS}: how long the receive thread looks for octets before it blocks
 */
public record IwarpOptions(boolean crc, ReadyMode ready, int settleMillis, int pollMicros) {
    static final int MAX_POLL_MICROS = 1_000_000;
    private static final int MAX_SETTLE_MILLIS = 10_000;

    /** Options without a polling phase. */
    public IwarpOptions(boolean crc, ReadyMode ready, int settleMillis) {
        this(crc, ready, settleMillis, 0);
    }

    /** These options, overridden by the given ones. */
    public IwarpOptions with(Map<String, String> options) {
        IwarpOptions result = this;
        for (Map.Entry<String, String> option : options.entrySet()) {
            result = result.with(option.getKey(), option.getValue());
        }
        return result;
    }

    private IwarpOptions with(String name, String value) {
        return switch (name) {
            case "crc" -> new IwarpOptions(isOn(value), ready, settleMillis, pollMicros);
            case "rtr" -> new IwarpOptions(crc, readyMode(value), settleMillis, pollMicros);
            case "settle" -> new IwarpOptions(crc, ready, number("settle", value, MAX_SETTLE_MILLIS, "ms"), pollMicros);
            case "poll" -> new IwarpOptions(crc, ready, settleMillis, number("poll", value, MAX_POLL_MICROS, "us"));
            default ->
                throw new IllegalArgumentException(
                        "unknown option '" + name + "' of provider iwarp; known are crc, rtr, settle and poll");
        };
    }

    private static boolean isOn(String value) {
        if (!value.equals("on") && !value.equals("off")) {
            throw new IllegalArgumentException("option crc is on or off, not '" + value + "'");
        }
        return value.equals("on");
    }

    private static ReadyMode readyMode(String value) {
        for (ReadyMode mode : ReadyMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                return mode;
            }
        }
        throw new IllegalArgumentException("option rtr is read, write, send or none, not '" + value + "'");
    }

    private static int number(String name, String value, int most, String unit) {
        try {
            int number = Integer.parseInt(value);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "option " + name + " is a number of " + (unit.equals("ms") ? "milliseconds" : "microseconds")
                            + ", not '" + value + "'",
                    e);
        }
        throw new IllegalArgumentException("option " + name + " is 0 to " + most + " " + unit + ", not " + value);
    }
}
