package io.verbena.cli.internal.hosts;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Invocation;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.karaf.shell.support.CommandException;

/** Reads small text files of this host that say what is mounted. Stateless. */
final class SettingsFile {
    private static final int MAX_OCTETS = 1 << 20;
    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;
    private static final Path PROCESS = LocalNames.path("/proc/self");

    private SettingsFile() {}

    /**
     * A line of a file.
     *
     * @param text the line; where it is not UTF-8, its octets as ISO 8859-1, in which the ASCII characters are the same
     * @param isUtf8 whether the line is UTF-8
     */
    record Line(String text, boolean isUtf8) {
        /** What is wrong with a line that is not UTF-8. */
        static final String FAULT = "the line is not UTF-8: convert it, or remove it";

        private static Line of(String octets) {
            ByteBuffer line = StandardCharsets.ISO_8859_1.encode(octets);
            try {
                return new Line(StandardCharsets.UTF_8.newDecoder().decode(line).toString(), true);
            } catch (CharacterCodingException e) {
                return new Line(octets, false);
            }
        }
    }

    /** Returns the lines of a file of at most 1 MiB. */
    static List<Line> lines(Path file) throws IOException, CommandException {
        byte[] octets;
        try (InputStream in = Files.newInputStream(file)) {
            octets = in.readNBytes(MAX_OCTETS + 1);
        } catch (IOException e) {
            throw Failures.about(LocalNames.shown(file), e);
        }
        if (octets.length > MAX_OCTETS) {
            throw wrong(file, "has more than 1 MiB: is it the right file?");
        }
        return new String(octets, StandardCharsets.ISO_8859_1)
                .lines()
                .map(Line::of)
                .toList();
    }

    /**
     * Checks that only this user or root can change a file, as OpenSSH's StrictModes does for its own files: the file
     * and each directory above belong to one of them, and neither group nor others may write. A sticky directory above
     * passes. {@code VERBENA_STRICT_MODES=no} turns the check off, as for state directories.
     */
    static void checkOwn(Path file, Invocation invocation) throws IOException, CommandException {
        boolean hasModes = file.getFileSystem().supportedFileAttributeViews().contains("unix");
        if (!hasModes || invocation.environment("VERBENA_STRICT_MODES").equals(Optional.of("no"))) {
            return;
        }
        int user = user();
        Path real = file.toRealPath();
        check(file, real, user, false);
        for (Path start : List.of(file, real)) {
            for (Path above = start.getParent(); above != null; above = above.getParent()) {
                check(file, above.toRealPath(), user, true);
            }
        }
    }

    private static void check(Path file, Path each, int user, boolean isAbove) throws IOException, CommandException {
        Map<String, Object> attributes = Files.readAttributes(each, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
        int owner = (Integer) attributes.get("uid");
        int mode = (Integer) attributes.get("mode");
        String subject = isAbove ? "the directory " + LocalNames.shown(each) : "the file";
        if (owner != user && owner != ROOT) {
            throw wrong(file, "is not used, since " + subject + " belongs to another user: make it your own");
        }
        if ((mode & WRITABLE_BY_OTHERS) != 0 && !(isAbove && (mode & STICKY) != 0)) {
            throw wrong(
                    file,
                    "is not used, since others can change " + subject + ": chmod go-w '" + LocalNames.shown(each)
                            + "'");
        }
    }

    /** Returns the user of this process, or on systems without /proc the owner of the home directory. */
    private static int user() throws IOException {
        Path own = Files.exists(PROCESS) ? PROCESS : LocalNames.path(System.getProperty("user.home", "/"));
        return (Integer) Files.getAttribute(own, "unix:uid");
    }

    private static CommandFailure wrong(Path file, String fault) {
        return new CommandFailure(ExitStatus.PERMISSION, LocalNames.shown(file) + ": " + fault);
    }
}
