package io.verbena.cli.internal.hosts;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
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
import org.apache.karaf.shell.support.CommandException;

/** Reads small text files of this host that say what is mounted. Stateless. */
final class SettingsFile {
    private static final int MAX_OCTETS = 1 << 20;
    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;
    private static final Path PROCESS = LocalNames.path("/proc/self");

    private SettingsFile() {}

    /** Returns the lines of a UTF-8 file of at most 1 MiB. */
    static List<String> lines(Path file) throws IOException, CommandException {
        byte[] octets;
        try (InputStream in = Files.newInputStream(file)) {
            octets = in.readNBytes(MAX_OCTETS + 1);
        } catch (IOException e) {
            throw Failures.about(LocalNames.shown(file), e);
        }
        if (octets.length > MAX_OCTETS) {
            throw wrong(file, "has more than 1 MiB: is it the right file?");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(octets))
                    .toString()
                    .lines()
                    .toList();
        } catch (CharacterCodingException e) {
            throw new CommandFailure(
                    ExitStatus.USAGE, LocalNames.shown(file) + ": is not UTF-8: convert it, or remove such names", e);
        }
    }

    /**
     * Checks that only this user or root can change a file, as OpenSSH's StrictModes does for its own files: the file
     * and each directory above belong to one of them, and neither group nor others may write. A sticky directory above
     * passes. {@code VERBENA_STRICT_MODES=no} turns the check off, as for state directories.
     */
    static void checkOwn(Path file) throws IOException, CommandException {
        boolean hasModes = file.getFileSystem().supportedFileAttributeViews().contains("unix");
        if (!hasModes || "no".equals(System.getenv("VERBENA_STRICT_MODES"))) {
            return;
        }
        int user = user();
        Path real = file.toRealPath();
        check(file, real, user, false);
        for (Path start : List.of(file.toAbsolutePath(), real)) {
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
