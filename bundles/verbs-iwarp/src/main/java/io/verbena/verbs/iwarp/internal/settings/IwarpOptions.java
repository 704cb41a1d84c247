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
 */
public record IwarpOptions(boolean crc, ReadyMode ready, int settleMillis) {
    private static final int MAX_SETTLE_MILLIS = 10_000;

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
            case "crc" -> new IwarpOptions(isOn(value), ready, settleMillis);
            case "rtr" -> new IwarpOptions(crc, readyMode(value), settleMillis);
            case "settle" -> new IwarpOptions(crc, ready, millis(value));
            default ->
                throw new IllegalArgumentException(
                        "unknown option '" + name + "' of provider iwarp; known are crc, rtr and settle");
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

    private static int millis(String value) {
        try {
            int millis = Integer.parseInt(value);
            if (millis >= 0 && millis <= MAX_SETTLE_MILLIS) {
                return millis;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("option settle is a number of milliseconds, not '" + value + "'", e);
        }
        throw new IllegalArgumentException("option settle is 0 to " + MAX_SETTLE_MILLIS + " ms, not " + value);
    }
}
