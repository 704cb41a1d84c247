package io.verbena.hadoop.internal.settings;

import io.verbena.nfs.MountOptions;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.util.StringUtils;

/**
 * The keys of a Hadoop configuration that have an effect here, without their prefixes: see {@link Settings}. This is
 * the only list of them.
 */
public enum Setting {
    OPTIONS("options", "", "mount options as mount -o takes them, such as rsize=1048576,sec=krb5p"),
    IDENTITY("identity", "ugi", "ugi or process"),
    CONNECT_SECONDS("connect.seconds", "30", 1, 3600),
    HOME("home", "/user", "a path that begins with one slash"),
    BLOCK_SIZE("block.size", "128M", 1L << 20, 1L << 40),
    LOCATIONS("locations", "", "names of hosts, separated by commas; empty for the server of the URI"),
    CHECKSUM("checksum", "crc32c", "crc32c, crc32 or none"),
    READ_POLICY("read.policy", "adaptive", "adaptive, sequential or random");

    private final String key;
    private final String defaultValue;
    private final String allowed;
    private final long min;
    private final long max;

    Setting(String key, String defaultValue, String allowed) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.allowed = allowed;
        this.min = 0;
        this.max = 0;
    }

    Setting(String key, String defaultValue, long min, long max) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.min = min;
        this.max = max;
        this.allowed = "a number from " + min + " to " + max + ", also with k, m, g or t";
    }

    /** The key without a prefix. */
    public String key() {
        return key;
    }

    public String defaultValue() {
        return defaultValue;
    }

    /** The values that the setting can have, for people. */
    public String allowed() {
        return allowed;
    }

    /** What is wrong with a value, or what is allowed, for people; empty if nothing is wrong. */
    Optional<String> fault(String value) {
        if (this == OPTIONS) {
            return faultOfOptions(value);
        }
        boolean fits =
                switch (this) {
                    case OPTIONS -> true;
                    case IDENTITY -> List.of("ugi", "process").contains(value);
                    case CHECKSUM -> List.of("crc32c", "crc32", "none").contains(value);
                    case READ_POLICY ->
                        List.of("adaptive", "sequential", "random").contains(value);
                    case HOME -> value.startsWith("/") && !value.startsWith("//");
                    case LOCATIONS -> value.matches("[\\w.:,\\[\\] -]*");
                    case CONNECT_SECONDS, BLOCK_SIZE -> isNumber(value);
                };
        return fits ? Optional.empty() : Optional.of("allowed: " + allowed);
    }

    private static Optional<String> faultOfOptions(String value) {
        try {
            MountOptions unused = MountOptions.parse(value);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(e.getMessage());
        }
    }

    private boolean isNumber(String value) {
        try {
            long number = number(value);
            return number >= min && number <= max;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * A number with an optional binary prefix.
     *
     * @throws IllegalArgumentException if it is none
     */
    static long number(String value) {
        return StringUtils.TraditionalBinaryPrefix.string2long(value);
    }
}
