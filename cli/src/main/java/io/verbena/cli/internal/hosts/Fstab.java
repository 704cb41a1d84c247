package io.verbena.cli.internal.hosts;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Invocation;
import io.verbena.cli.Text;
import io.verbena.cli.internal.MountSource;
import io.verbena.nfs.MountOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.karaf.shell.support.CommandException;

/**
 * The lines of an fstab(5) whose type is {@code nfs} or {@code nfs4}. Lines of other types, comments and lines with
 * fewer than three fields are passed over, as mount(8) does. Immutable.
 */
public final class Fstab {
    /** The file of the system. */
    public static final String SYSTEM = "/etc/fstab";

    private static final Set<String> TYPES = Set.of("nfs", "nfs4");

    /**
     * A line.
     *
     * @param number the number of the line in its file, from 1
     * @param source the first field, {@code server:/path}
     * @param directory the second field, where the kernel's client mounts it
     * @param options the fourth field; {@code defaults} if it is missing
     * @param isUtf8 whether the line is UTF-8; otherwise it cannot be mounted
     */
    public record Line(int number, String source, String directory, String options, boolean isUtf8) {
        /** Returns whether the line is left out when all are mounted. */
        public boolean isOnDemand() {
            return has("noauto");
        }

        /** Returns whether the failure of the line is no failure of a mount of all. */
        public boolean mayFail() {
            return has("nofail");
        }

        private boolean isMeantBy(String word) {
            String path = withoutEnd(directory);
            return path.equals(withoutEnd(word))
                    || source.equals(word)
                    || path.substring(path.lastIndexOf('/') + 1).equals(word)
                    || MountRequest.nameOf(path).equals(word);
        }

        private static String withoutEnd(String path) {
            return path.replaceAll("(?<=.)/+$", "");
        }

        private boolean has(String option) {
            return Arrays.asList(options.split(",", -1)).contains(option);
        }
    }

    private final String file;
    private final List<Line> lines;

    private Fstab(String file, List<Line> lines) {
        this.file = file;
        this.lines = lines;
    }

    /** Reads a file, by its path as users write it. */
    public static Fstab read(String path, Invocation invocation) throws IOException, CommandException {
        Path file = invocation.path(path);
        return parse(path, SettingsFile.lines(file));
    }

    /** Returns the line that a text is; empty if it is none of type {@code nfs} or {@code nfs4}. */
    public static Optional<Line> line(String text) {
        return parse("", List.of(new SettingsFile.Line(text, true))).lines().stream()
                .findFirst();
    }

    static Fstab parse(String file, List<SettingsFile.Line> text) {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < text.size(); i++) {
            String[] fields = text.get(i).text().strip().split("[ \t]+", -1);
            boolean isComment = fields[0].startsWith("#");
            if (!isComment && fields.length > 2 && TYPES.contains(fields[2])) {
                String options = fields.length > 3 ? unescaped(fields[3]) : "defaults";
                lines.add(new Line(
                        i + 1,
                        unescaped(fields[0]),
                        unescaped(fields[1]),
                        options,
                        text.get(i).isUtf8()));
            }
        }
        return new Fstab(file, List.copyOf(lines));
    }

    /** Returns a field with each octet that is written as a backslash and three octal digits, such as {@code \040}. */
    private static String unescaped(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        for (int at = 0; at < field.length(); ) {
            String digits = field.substring(Math.min(at + 1, field.length()), Math.min(at + 4, field.length()));
            if (field.charAt(at) == '\\' && digits.matches("[0-3][0-7]{2}")) {
                octets.write(Integer.parseInt(digits, 8));
                at += 4;
            } else {
                int point = field.codePointAt(at);
                octets.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
                at += Character.charCount(point);
            }
        }
        return octets.toString(StandardCharsets.UTF_8);
    }

    /** Returns all lines, in the order of the file. */
    public List<Line> lines() {
        return lines;
    }

    /**
     * Returns the line that a word means: its directory, the last name of it, or its source.
     *
     * @param word the word; null if the file has one line only
     * @throws CommandFailure if no line or more than one line fits
     */
    public Line find(String word) throws CommandFailure {
        List<Line> found = lines.stream()
                .filter(line -> word == null || line.isMeantBy(word))
                .toList();
        if (found.size() == 1) {
            return found.get(0);
        }
        String asked = word == null ? "" : " for '" + word + "'";
        String known = lines.isEmpty()
                ? "there is none of type nfs or nfs4"
                : (found.isEmpty() ? "there is " : "name one of ")
                        + lines.stream().map(Line::directory).collect(Collectors.joining(", "));
        throw new CommandFailure(
                ExitStatus.NOT_FOUND,
                Text.printable(
                        file + ": " + (found.isEmpty() ? "no line" : "more than one line") + asked + ": " + known));
    }

    /**
     * Returns the mount that a line asks for.
     *
     * @param further options besides those of the line
     * @param name the name of the mount; null for the last name of the line's directory
     * @throws CommandException if the line cannot be mounted; the message has the number of the line
     */
    public MountRequest request(Line line, String further, String name) throws CommandException {
        if (!line.isUtf8()) {
            throw MountRequest.wrong(file, line.number(), SettingsFile.Line.FAULT);
        }
        try {
            return new MountRequest(
                    name == null ? MountRequest.nameOf(line.directory()) : name,
                    MountSource.parse(line.source()),
                    MountOptions.parse(line.options() + "," + further));
        } catch (IllegalArgumentException e) {
            throw MountRequest.wrong(file, line.number(), e.getMessage());
        }
    }
}
