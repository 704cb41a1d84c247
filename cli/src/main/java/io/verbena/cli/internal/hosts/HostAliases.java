package io.verbena.cli.internal.hosts;

import io.verbena.cli.Invocation;
import io.verbena.cli.internal.MountSource;
import io.verbena.nfs.MountOptions;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/**
 * The aliases of servers in the user's file, in the form of ssh_config(5): a line {@code Host NAME...} begins an alias,
 * and the lines {@code Server}, {@code Port}, {@code Export} and {@code Options} below it describe it. Keywords may
 * have any case, a value in double quotes may have blanks, and a line that begins with {@code #} is a comment. Anything
 * else is an error with its line. Immutable.
 */
public final class HostAliases {
    /** The variable of a session, and the system property, with another path of the file. */
    public static final String FILE = "verbena.config";

    private static final Pattern LINE = Pattern.compile("(\\w+)(?:\\s*=\\s*|\\s+)(.+)");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|([^\\s\"]+)");
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_.-]+");

    private final String file;
    private final Map<String, HostAlias> aliases;

    /** The number of a line that is not UTF-8, of each alias that has one. The alias cannot be mounted. */
    private final Map<String, Integer> faulty;

    /** The number of the first line of an alias whose name is not UTF-8, or 0. */
    private final int nameless;

    private HostAliases(String file, Map<String, HostAlias> aliases, Map<String, Integer> faulty, int nameless) {
        this.file = file;
        this.aliases = aliases;
        this.faulty = faulty;
        this.nameless = nameless;
    }

    /**
     * Reads the file of the user. A file that is missing has no aliases.
     *
     * @throws CommandException if another user could change the file, or if the file has a fault
     */
    public static HostAliases of(Session session) throws IOException, CommandException {
        Invocation invocation = Invocation.of(session);
        Path file = file(session.get(FILE), invocation);
        if (!Files.exists(file)) {
            return new HostAliases(LocalNames.text(file), Map.of(), Map.of(), 0);
        }
        SettingsFile.checkOwn(file, invocation);
        return parse(LocalNames.text(file), SettingsFile.lines(file));
    }

    private static Path file(Object given, Invocation invocation) {
        if (given instanceof String path && !path.isEmpty()) {
            return invocation.path(path);
        }
        String base = invocation
                .environment("XDG_CONFIG_HOME")
                .filter(xdg -> xdg.startsWith("/"))
                .orElseGet(() -> System.getProperty("user.home", "") + "/.config");
        return LocalNames.path(base + "/verbena/config");
    }

    /** Parses lines of a file. */
    static HostAliases parse(String file, List<SettingsFile.Line> lines) throws CommandException {
        Reading reading = new Reading(file);
        for (SettingsFile.Line line : lines) {
            reading.add(line.text().strip(), line.isUtf8());
        }
        reading.endAlias();
        return new HostAliases(file, reading.aliases, reading.faulty, reading.nameless);
    }

    /** Returns the alias with a name. */
    public Optional<HostAlias> find(String name) {
        return Optional.ofNullable(aliases.get(name));
    }

    /** Returns all aliases, in the order of the file. */
    public List<HostAlias> all() {
        return List.copyOf(aliases.values());
    }

    /**
     * Returns the mount that a user asks for.
     *
     * @param source {@code SERVER:/EXPORT} or {@code ALIAS:/EXPORT}, or an alias alone, which has an export
     * @param options further options
     * @param name the name of the mount; null for that of the alias
     * @throws IllegalArgumentException if the source is neither, or has no name
     */
    public MountRequest request(String source, String options, String name) throws CommandException {
        Optional<HostAlias> alone = find(source);
        checkReadable(source);
        if (alone.isPresent()) {
            HostAlias alias = alone.get();
            return new MountRequest(name == null ? source : name, alias.source(), alias.with(options));
        }
        MountSource parsed = parseSource(source);
        if (name == null) {
            throw new IllegalArgumentException(
                    "the mount has no name: nfs:mount " + source + " NAME, which makes paths NAME:/path");
        }
        checkReadable(parsed.server());
        Optional<HostAlias> alias = find(parsed.server());
        return alias.isPresent()
                ? new MountRequest(
                        name,
                        new MountSource(alias.get().server(), parsed.export()),
                        alias.get().with(options))
                : new MountRequest(name, parsed, MountOptions.parse(options));
    }

    private void checkReadable(String name) throws CommandException {
        Integer line = faulty.get(name);
        if (line != null) {
            throw MountRequest.wrong(file, line, SettingsFile.Line.FAULT);
        }
    }

    private MountSource parseSource(String source) {
        try {
            return MountSource.parse(source);
        } catch (IllegalArgumentException e) {
            String unread = nameless == 0 ? "" : "; " + file + ":" + nameless + ": " + SettingsFile.Line.FAULT;
            String known = aliases.isEmpty() ? "" : ", and no alias: there is " + String.join(", ", aliases.keySet());
            throw new IllegalArgumentException(e.getMessage() + known + unread, e);
        }
    }

    /** The aliases of one file, line by line. */
    private static final class Reading {
        private final String file;
        private final Map<String, HostAlias> aliases = new LinkedHashMap<>();
        private final Map<String, String> values = new LinkedHashMap<>();
        private final Map<String, Integer> faulty = new HashMap<>();
        private List<String> names = List.of();
        private int number;
        /** The number of the first line of the alias that is not UTF-8, or 0. */
        private int fault;
        /** The number of the first line of an alias whose name is not UTF-8, or 0. */
        private int nameless;
        /** Whether the lines belong to such an alias. */
        private boolean isNameless;

        Reading(String file) {
            this.file = file;
        }

        void add(String line, boolean isUtf8) throws CommandException {
            number++;
            if (line.isEmpty() || line.startsWith("#")) {
                return;
            }
            if (!isUtf8) {
                leaveOut(line);
                return;
            }
            Matcher parts = LINE.matcher(line);
            if (!parts.matches()) {
                throw wrong("'" + line + "' is no line KEYWORD VALUE, like Server storage.example.com");
            }
            String keyword = parts.group(1).toLowerCase(Locale.ROOT);
            List<String> words = words(parts.group(2));
            if (keyword.equals("host")) {
                endAlias();
                isNameless = false;
                names = words;
                for (String name : names) {
                    checkName(name);
                }
                return;
            }
            if (isNameless) {
                return;
            }
            if (names.isEmpty()) {
                throw wrong("'" + parts.group(1) + "' stands before the first line Host NAME");
            }
            if (words.size() != 1) {
                throw wrong(parts.group(1) + " wants one value: put a value with blanks in double quotes");
            }
            check(parts.group(1), keyword, words.get(0));
            if (values.put(keyword, words.get(0)) != null) {
                throw wrong(parts.group(1) + " is there twice for " + names.get(0) + ": remove one");
            }
        }

        /** Leaves out a line that is not UTF-8. An alias without one of its lines would be another server. */
        private void leaveOut(String line) {
            if (line.toLowerCase(Locale.ROOT).matches("host[\\s=].*")) {
                endAlias();
                isNameless = true;
                nameless = nameless == 0 ? number : nameless;
            } else if (fault == 0) {
                fault = number;
            }
        }

        private List<String> words(String text) throws CommandException {
            List<String> words = new ArrayList<>();
            Matcher matcher = WORD.matcher(text);
            int end = 0;
            while (matcher.find()) {
                if (!text.substring(end, matcher.start()).isBlank()) {
                    break;
                }
                words.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
                end = matcher.end();
            }
            if (!text.substring(end).isBlank()) {
                throw wrong("the double quotes of '" + text + "' do not match");
            }
            return words;
        }

        private void checkName(String name) throws CommandException {
            if (!NAME.matcher(name).matches()) {
                throw wrong(
                        "'" + name + "' cannot be an alias: letters, digits, '.', '_' and '-' can, patterns cannot");
            }
            if (aliases.containsKey(name) || names.indexOf(name) != names.lastIndexOf(name)) {
                throw wrong("there are two aliases '" + name + "': remove one");
            }
        }

        private void check(String typed, String keyword, String value) throws CommandException {
            switch (keyword) {
                case "server" -> {
                    if (!value.matches("[^\\[\\]/\\s]+")) {
                        throw wrong("Server '" + value + "' is no host name or address");
                    }
                }
                case "port" -> parse("port=" + value);
                case "options" -> parse(value);
                case "export" -> {
                    if (!value.startsWith("/")) {
                        throw wrong("Export '" + value + "' is no path: it begins with a slash");
                    }
                }
                default ->
                    throw wrong("unknown keyword '" + typed + "': known are Host, Server, Port, Export, Options");
            }
        }

        private void parse(String options) throws CommandException {
            try {
                MountOptions.parse(options);
            } catch (IllegalArgumentException e) {
                throw wrong(e.getMessage());
            }
        }

        void endAlias() {
            String port = values.containsKey("port") ? "port=" + values.get("port") : "";
            String options = values.getOrDefault("options", "");
            String all = port.isEmpty() || options.isEmpty() ? port + options : port + "," + options;
            for (String name : names) {
                if (fault > 0) {
                    faulty.put(name, fault);
                }
                aliases.put(
                        name,
                        new HostAlias(
                                name, values.getOrDefault("server", name), values.getOrDefault("export", ""), all));
            }
            values.clear();
            names = List.of();
            fault = 0;
        }

        private CommandException wrong(String fault) {
            return MountRequest.wrong(file, number, fault);
        }
    }
}
