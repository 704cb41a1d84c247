package io.verbena.nfs41.client.internal.identity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * Directories whose content only this user, or root, decides, as OpenSSH's StrictModes has it: the directory and each
 * one above it belong to this user or to root, and neither group nor others may write. A sticky directory above, such
 * as {@code /tmp}, passes: nobody can replace in it what belongs to others. File systems without modes are not checked.
 */
final class StrictModes {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;

    private StrictModes() {}

    /**
     * Makes the directory and those above it, as far as they are missing, with mode 0700, and checks it.
     *
     * @return the directory without symbolic links
     * @throws IOException where another user could change what is in it; the message has the command that mends it
     */
    static Path directory(Path directory) throws IOException {
        if (!hasModes(directory)) {
            return Files.createDirectories(directory).toRealPath();
        }
        Path real = Files.createDirectories(directory, PRIVATE_DIRECTORY).toRealPath();
        int user = user(real);
        for (Path each = real; each != null; each = each.getParent()) {
            check(each, user, !each.equals(real));
        }
        return real;
    }

    /** The attributes of a file that only this user reads; none on file systems without modes. */
    static FileAttribute<?>[] file(Path directory) {
        return hasModes(directory) ? new FileAttribute<?>[] {PRIVATE_FILE} : new FileAttribute<?>[0];
    }

    private static boolean hasModes(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    /** This process's user, who owns what it makes. */
    private static int user(Path directory) throws IOException {
        Path made = Files.createTempFile(directory, "owner", null);
        try {
            return (Integer) Files.getAttribute(made, "unix:uid");
        } finally {
            Files.delete(made);
        }
    }

    private static void check(Path directory, int user, boolean isAbove) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(directory, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
        int owner = (Integer) attributes.get("uid");
        int mode = (Integer) attributes.get("mode");
        if (owner != user && owner != ROOT) {
            throw new IOException("'" + directory
                    + "' belongs to another user, who could change what is in it: use another directory");
        }
        if ((mode & WRITABLE_BY_OTHERS) != 0 && !(isAbove && (mode & STICKY) != 0)) {
            throw new IOException(
                    "'" + directory + "' can be changed by its group or by others: chmod go-w '" + directory + "'");
        }
    }
}
