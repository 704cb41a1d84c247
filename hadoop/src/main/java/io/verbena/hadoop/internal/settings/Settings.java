package io.verbena.hadoop.internal.settings;

import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.NearestName;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * The checked settings of one server: {@code fs.verbena.server.HOST.KEY}, otherwise {@code fs.verbena.KEY}. The
 * numbers of a user are {@code fs.verbena.user.NAME}. Immutable.
 */
public final class Settings {
    private static final String PREFIX = "fs.verbena.";
    private static final String SERVER = "server.";
    private static final String USER = "user.";
    private static final long MAX_ID = (1L << 32) - 1;
    private static final String IDS = "allowed: uid:gid with up to 16 further groups, such as 1000:1000:27";

    private final Map<Setting, String> values;
    private final Map<String, String> users;

    private Settings(Map<Setting, String> values, Map<String, String> users) {
        this.values = values;
        this.users = users;
    }

    /**
     * Reads the settings for a server.
     *
     * @param host the server's name or address as the URI has it
     * @throws IOException for an unknown key or a value that is not allowed; the message names the key and what is
     *     allowed
     */
    public static Settings of(Configuration configuration, String host) throws IOException {
        Map<String, String> given = new LinkedHashMap<>();
        for (Map.Entry<String, String> entry :
                configuration.getPropsWithPrefix(PREFIX).entrySet()) {
            given.put(entry.getKey(), entry.getValue().strip());
        }
        Map<Setting, String> values = new EnumMap<>(Setting.class);
        Map<String, String> users = new LinkedHashMap<>();
        for (Map.Entry<String, String> entry : given.entrySet()) {
            String key = entry.getKey();
            if (key.startsWith(USER)) {
                requireIds(key, entry.getValue());
                users.put(key.substring(USER.length()), entry.getValue());
            } else {
                requireFit(key, entry.getValue());
            }
        }
        for (Setting setting : Setting.values()) {
            String common = given.getOrDefault(setting.key(), setting.defaultValue());
            values.put(setting, given.getOrDefault(SERVER + host + "." + setting.key(), common));
        }
        return new Settings(values, users);
    }

    private static void requireIds(String key, String ids) throws IOException {
        boolean fits = ids.matches("[0-9]{1,10}(:[0-9]{1,10}){1,17}")
                && Arrays.stream(ids.split(":", -1)).allMatch(each -> Long.parseLong(each) <= MAX_ID);
        if (!fits) {
            throw refusal(key, ids, IDS);
        }
    }

    private static void requireFit(String key, String value) throws IOException {
        Optional<Setting> setting = find(key);
        if (setting.isEmpty()) {
            List<String> keys =
                    Arrays.stream(Setting.values()).map(Setting::key).toList();
            String near = NearestName.of(key, keys)
                    .map(name -> "did you mean " + PREFIX + name + "? ")
                    .orElse("");
            String known = Stream.concat(keys.stream(), Stream.of(USER + "NAME", SERVER + "HOST.KEY"))
                    .map(PREFIX::concat)
                    .collect(Collectors.joining(", "));
            throw new IOException("There is no key " + PREFIX + key + ": " + near + "Known are " + known);
        }
        Optional<String> fault = setting.get().fault(value);
        if (fault.isPresent()) {
            throw refusal(key, value, fault.get());
        }
    }

    private static IOException refusal(String key, String value, String fault) {
        return new IOException(PREFIX + key + " cannot be '" + value + "'; " + fault);
    }

    /** The setting of a key without the first prefix. Host names have dots, too: the end of the key counts. */
    private static Optional<Setting> find(String key) {
        boolean ofServer = key.startsWith(SERVER);
        return Arrays.stream(Setting.values())
                .filter(each -> ofServer ? key.endsWith("." + each.key()) : key.equals(each.key()))
                .findFirst();
    }

    public String get(Setting setting) {
        return values.get(setting);
    }

    /** The value of a setting that is a number. */
    public long number(Setting setting) {
        return Setting.number(get(setting));
    }

    public Duration connectTimeout() {
        return Duration.ofSeconds(number(Setting.CONNECT_SECONDS));
    }

    /**
     * The options of mounts, with an explicit port, so that options of one meaning are equal.
     *
     * @param port of the URI, or -1
     * @param more further options, which precede; may be empty
     */
    public MountOptions mountOptions(int port, String more) {
        MountOptions given = MountOptions.parse(get(Setting.OPTIONS) + "," + more);
        int number = port < 0 ? given.number(MountOption.PORT) : port;
        return MountOptions.parse(get(Setting.OPTIONS) + "," + more + "," + MountOption.PORT.key() + "=" + number);
    }

    /** The numbers of a user from the configuration: {@code uid:gid:group:group}. */
    public Optional<String> idsOf(String user) {
        return Optional.ofNullable(users.get(user));
    }

    /** The number that the configuration gives to a user. */
    public Optional<String> numberOf(String user) {
        return idsOf(user).map(Settings::number);
    }

    /** The user to whom the configuration gives a number. */
    public Optional<String> userOf(String number) {
        return users.entrySet().stream()
                .filter(each -> number(each.getValue()).equals(number))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static String number(String ids) {
        return ids.substring(0, ids.indexOf(':'));
    }

    /** The hosts that are named as the places of every block: those of the setting, otherwise the server. */
    public String[] locations(String host) {
        String text = get(Setting.LOCATIONS);
        return text.isEmpty() ? new String[] {host} : text.split("[\\s,]+");
    }
}
