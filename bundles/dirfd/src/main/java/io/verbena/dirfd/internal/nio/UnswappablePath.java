package io.verbena.dirfd.internal.nio;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/**
 * Tells whether another user of this host could replace a part of a path while java.nio changes something by it. The
 * user of this process and root could always.
 */
final class UnswappablePath {
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int STICKY = 01000;
    private static final String ROOT = "root";

    private UnswappablePath() {}

    /**
     * Requires that nobody else can rename or remove the object of an absolute path without links, or a directory above
     * it. Who may do so owns a directory of the path or may write to it, and where it is sticky owns the object in it.
     *
     * @throws ErrnoException {@code EOPNOTSUPP} where somebody can: the change cannot be made safely
     */
    static void require(Path path) throws IOException {
        Path entry = path;
        for (Path parent = path.getParent(); parent != null; parent = parent.getParent()) {
            int mode = (Integer) Files.getAttribute(parent, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            boolean isShared = (mode & WRITABLE_BY_OTHERS) != 0;
            boolean isKept = !isShared || ((mode & STICKY) != 0 && isTrusted(entry));
            if (!isKept || !isTrusted(parent)) {
                throw new ErrnoException(path.toString(), Errno.EOPNOTSUPP.number());
            }
            entry = parent;
        }
    }

    private static boolean isTrusted(Path object) throws IOException {
        UserPrincipal owner = Files.getOwner(object, LinkOption.NOFOLLOW_LINKS);
        return isUser(object, owner, System.getProperty("user.name")) || isUser(object, owner, ROOT);
    }

    private static boolean isUser(Path object, UserPrincipal owner, String name) throws IOException {
        try {
            return owner.equals(
                    object.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name));
        } catch (UserPrincipalNotFoundException e) {
            return false;
        }
    }
}
