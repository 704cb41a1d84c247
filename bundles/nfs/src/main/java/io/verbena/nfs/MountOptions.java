package io.verbena.nfs;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The checked options of one mount, as in the fourth field of an fstab line: {@code proto=rdma,port=20049,soft}.
 * Immutable.
 */
public final class MountOptions {
    /** The defaults of all options. */
    public static final MountOptions DEFAULTS = new MountOptions(new EnumMap<>(MountOption.class));

    private final EnumMap<MountOption, String> given;

    private MountOptions(EnumMap<MountOption, String> given) {
        this.given = given;
    }

    /**
     * Parses options as {@code mount -o} takes them: {@code key=value} or a flag, separated by commas. If a key occurs
     * more than once, the last value counts. {@code nfsvers} stands for {@code vers}, and {@code rdma} for
     * {@code proto=rdma}.
     *
     * @throws IllegalArgumentException for an unknown option or value; the message names valid ones
     */
    public static MountOptions parse(String text) {
        EnumMap<MountOption, String> given = new EnumMap<>(MountOption.class);
        for (String part : text.split(",", -1)) {
            String item = part.strip();
            if (!item.isEmpty()) {
                add(given, item);
            }
        }
        return new MountOptions(given);
    }

    private static void add(EnumMap<MountOption, String> given, String item) {
        int equals = item.indexOf('=');
        String key = equals < 0 ? item : item.substring(0, equals);
        String value = equals < 0 ? null : item.substring(equals + 1);
        if (key.equals("rdma") && value == null) {
            given.put(MountOption.PROTO, "rdma");
            return;
        }
        for (MountOption option : MountOption.values()) {
            boolean opposite = isFlag(option) && option.words().contains(key);
            if (opposite || option.key().equals(key) || isVersion(option, key)) {
                given.put(option, isFlag(option) ? flag(key, value, opposite) : checked(option, value));
                return;
            }
        }
        throw new IllegalArgumentException("unknown mount option '" + key + "': did you mean '"
                + NearestName.of(key, keys()).orElseThrow() + "'? Known are " + String.join(", ", keys()));
    }

    private static boolean isVersion(MountOption option, String key) {
        return option == MountOption.VERS && key.equals("nfsvers");
    }

    private static boolean isFlag(MountOption option) {
        return option.kind() == MountOption.Kind.FLAG;
    }

    private static String flag(String key, String value, boolean opposite) {
        if (value != null) {
            throw new IllegalArgumentException("mount option '" + key + "' takes no value");
        }
        return opposite ? "false" : "true";
    }

    private static String checked(MountOption option, String value) {
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(
                    "mount option '" + option.key() + "' wants a value: " + describe(option));
        }
        boolean good =
                switch (option.kind()) {
                    case NUMBER -> isBetween(value, option.min(), option.max());
                    case CHOICE -> option.words().contains(value);
                    case FLAG, TEXT -> true;
                };
        if (!good) {
            throw new IllegalArgumentException(
                    "mount option '" + option.key() + "' cannot be '" + value + "': " + describe(option));
        }
        return value;
    }

    private static boolean isBetween(String value, long min, long max) {
        if (!value.matches("[0-9]{1,18}")) {
            return false;
        }
        long number = Long.parseLong(value);
        return number >= min && number <= max;
    }

    /** The values that an option can have, in words. */
    public static String describe(MountOption option) {
        return switch (option.kind()) {
            case FLAG -> "or " + option.words().get(0);
            case NUMBER -> "a number from " + option.min() + " to " + option.max();
            case CHOICE -> String.join(" or ", option.words());
            case TEXT -> option.words().isEmpty() ? "a name" : "a name, as " + String.join(", ", option.words());
        };
    }

    /** All keys, with and without a value. */
    public static List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (MountOption option : MountOption.values()) {
            keys.add(option.key());
            if (isFlag(option)) {
                keys.addAll(option.words());
            }
        }
        return keys;
    }

    /** The value of an option, or its default. */
    public String get(MountOption option) {
        return given.getOrDefault(option, option.defaultValue());
    }

    /** The value of an option of kind NUMBER. */
    public int number(MountOption option) {
        return Integer.parseInt(get(option));
    }

    /** Whether a flag is set. */
    public boolean isSet(MountOption option) {
        return Boolean.parseBoolean(get(option));
    }

    /** The options that were given, without the defaults. */
    public Map<MountOption, String> given() {
        return new EnumMap<>(given);
    }

    /** The options that were given, in a form that {@link #parse} reads. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(",");
        given.forEach((option, value) -> {
            if (!isFlag(option)) {
                text.add(option.key() + "=" + value);
            } else {
                text.add(
                        Boolean.parseBoolean(value)
                                ? option.key()
                                : option.words().get(0));
            }
        });
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MountOptions that && given.equals(that.given);
    }

    @Override
    public int hashCode() {
        return given.hashCode();
    }
}
