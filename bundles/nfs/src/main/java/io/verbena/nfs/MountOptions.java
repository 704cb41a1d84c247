package io.verbena.nfs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * The checked options of one mount, as in the fourth field of an fstab line: {@code proto=rdma,port=20049,soft}.
 * Immutable.
 */
public final class MountOptions {
    /** The defaults of all options. */
    public static final MountOptions DEFAULTS = new MountOptions(new EnumMap<>(MountOption.class), Map.of());

    /** The most octets of a READ or WRITE where fewer than the least are asked for, by nfs(5). */
    private static final String SMALL_SIZE = "4096";

    private final EnumMap<MountOption, String> given;
    private final Map<String, String> ignored;

    private MountOptions(EnumMap<MountOption, String> given, Map<String, String> ignored) {
        this.given = given;
        this.ignored = ignored;
    }

    /**
     * Parses options as {@code mount -o} takes them: {@code key=value} or a flag, separated by commas. If a key occurs
     * more than once, the last value counts. {@code nfsvers} stands for {@code vers}, and {@code rdma} for
     * {@code proto=rdma}. The other options of mount(8) and nfs(5) are taken, too: {@link #ignored} has those without
     * an effect. A size or time that is larger than its limit counts as the limit, and is in {@code ignored} as well.
     *
     * @throws IllegalArgumentException for an unknown option or value, whose message names valid ones, and for an
     *     option that cannot be ignored, whose message says what to do
     */
    public static MountOptions parse(String text) {
        Parsing parsing = new Parsing();
        int start = 0;
        boolean isQuoted = false;
        for (int at = 0; at <= text.length(); at++) {
            if (at == text.length() || (text.charAt(at) == ',' && !isQuoted)) {
                String item = text.substring(start, at).strip();
                if (!item.isEmpty()) {
                    parsing.add(item);
                }
                start = at + 1;
            } else if (text.charAt(at) == '"') { // labels of SELinux have commas
                isQuoted = !isQuoted;
            }
        }
        return parsing.end();
    }

    /** The options of one text, one after the other. */
    private static final class Parsing {
        private final EnumMap<MountOption, String> given = new EnumMap<>(MountOption.class);
        private final Map<String, String> ignored = new LinkedHashMap<>();
        private boolean isSync;
        private int longestUse = Integer.MAX_VALUE;

        void add(String item) {
            int equals = item.indexOf('=');
            String typed = equals < 0 ? item : item.substring(0, equals);
            String value = equals < 0 ? null : item.substring(equals + 1);
            String key = typed.equals("nfsvers") ? "vers" : typed;
            if (key.equals("rdma") && value == null) {
                given.put(MountOption.PROTO, "rdma");
                return;
            }
            switch (key) {
                case "sync" -> isSync = true;
                case "async" -> isSync = false;
                // a file or directory is used no longer than its own limit
                case "acregmax", "acdirmax" -> longestUse = Math.min(longestUse, seconds(key, value));
                default -> {
                    Optional<OtherOptions.Other> other = OtherOptions.find(key, value);
                    if (other.isPresent()) {
                        take(item, other.get());
                    } else {
                        MountOptions.add(given, ignored, key, value);
                    }
                }
            }
        }

        private void take(String item, OtherOptions.Other other) {
            switch (other.use()) {
                case HOLDS -> {
                    if (item.startsWith("v4.1")) {
                        given.put(MountOption.VERS, "4.1");
                    }
                }
                case COUNTS_AS -> add(other.words());
                case IGNORED -> ignored.put(item, other.words());
                case REFUSED -> throw new IllegalArgumentException("mount option '" + item + "': " + other.words());
            }
        }

        private static int seconds(String key, String value) {
            if (value == null || !value.matches("[0-9]{1,9}")) {
                throw new IllegalArgumentException("mount option '" + key + "' wants a number of seconds");
            }
            return Integer.parseInt(value);
        }

        MountOptions end() {
            if (isSync) {
                if (Boolean.parseBoolean(given.put(MountOption.AC, "false"))) {
                    ignored.put("ac", "sync needs noac");
                }
            }
            String use = given.getOrDefault(MountOption.ACTIMEO, MountOption.ACTIMEO.defaultValue());
            if (longestUse < Integer.parseInt(use)) {
                given.put(MountOption.ACTIMEO, String.valueOf(longestUse));
            }
            return new MountOptions(given, ignored);
        }
    }

    private static void add(EnumMap<MountOption, String> given, Map<String, String> ignored, String key, String value) {
        for (MountOption option : MountOption.values()) {
            boolean opposite = isFlag(option) && option.words().contains(key);
            if (opposite || option.key().equals(key)) {
                String taken = isFlag(option) ? value : limited(option, value, ignored);
                given.put(option, isFlag(option) ? flag(key, value, opposite) : checked(option, taken));
                return;
            }
        }
        throw new IllegalArgumentException("unknown mount option '" + key + "': did you mean '"
                + NearestName.of(key, keys()).orElseThrow() + "'? Known are " + String.join(", ", keys())
                + ", and those of mount(8) and nfs(5)");
    }

    /** Returns the value that counts: as with mount.nfs, a size or time beyond its limit is the limit. */
    private static String limited(MountOption option, String value, Map<String, String> ignored) {
        boolean hasLimit =
                switch (option) {
                    case RSIZE, WSIZE, TIMEO, RETRANS, ACTIMEO -> true;
                    default -> false;
                };
        if (!hasLimit || value == null || !value.matches("[0-9]{1,18}")) {
            return value;
        }
        boolean isSize = option == MountOption.RSIZE || option == MountOption.WSIZE;
        long number = Long.parseLong(value);
        String counts = value;
        if (number > option.max()) {
            counts = String.valueOf(option.max());
        } else if (isSize && number < option.min()) {
            counts = SMALL_SIZE;
        }
        if (!counts.equals(value)) {
            ignored.put(option.key() + "=" + value, "it counts as " + counts);
        }
        return counts;
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

    /**
     * The options that were given and have no effect, or another value than was given, in the order of the text, each
     * with the reason: {@code bg} with {@code a command waits up to 30 s for the server}. {@link #equals} and {@link
     * #toString} leave these options out.
     */
    public Map<String, String> ignored() {
        return Collections.unmodifiableMap(ignored);
    }

    /** The ignored options in one line for people; empty if there is none. */
    public Optional<String> note() {
        if (ignored.isEmpty()) {
            return Optional.empty();
        }
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        ignored.forEach((option, reason) ->
                byReason.computeIfAbsent(reason, each -> new ArrayList<>()).add(option));
        StringJoiner text = new StringJoiner("; ", "ignored mount options: ", "");
        byReason.forEach((reason, options) -> text.add(String.join(", ", options) + " (" + reason + ")"));
        return Optional.of(text.toString());
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
