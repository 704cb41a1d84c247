package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.Optional;

/** Translates failures of a mount to those of java.nio, which name the caller's paths. */
public final class Failures {
    private Failures() {}

    public static IOException about(Path path, IOException failure) {
        return about(path, null, failure);
    }

    /**
     * @param other the second path of the operation, or null
     */
    static IOException about(Path path, Path other, IOException failure) {
        if (!(failure instanceof FileSystemException known) || path == null) {
            return failure;
        }
        String file = path.toString();
        String second = other == null ? null : other.toString();
        String reason = known.getReason();
        FileSystemException named;
        if (known instanceof NoSuchFileException) {
            named = new NoSuchFileException(file, second, reason);
        } else if (known instanceof FileAlreadyExistsException) {
            named = new FileAlreadyExistsException(second == null ? file : second, null, reason);
        } else if (known instanceof AccessDeniedException) {
            named = new AccessDeniedException(file, second, reason);
        } else if (known instanceof NotDirectoryException) {
            named = new NotDirectoryException(file);
        } else if (known instanceof DirectoryNotEmptyException) {
            named = new DirectoryNotEmptyException(second == null ? file : second);
        } else if (known instanceof NotLinkException) {
            named = new NotLinkException(file, second, reason);
        } else if (known instanceof FileSystemLoopException) {
            named = new FileSystemLoopException(file);
        } else {
            return failure; // java.nio has no exception for it: its NFS status says what it is
        }
        named.initCause(failure);
        return named;
    }

    /** The cause of a failure that says that the mount was replaced; empty if there is none. */
    public static Optional<MountReplacedException> replacement(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof MountReplacedException replaced) {
                return Optional.of(replaced);
            }
        }
        return Optional.empty();
    }

    /** A new exception of the same meaning, for another thread to throw. */
    public static IOException again(IOException failure) {
        if (failure instanceof MountReplacedException replaced) {
            return new MountReplacedException(replaced.mount(), replaced.isUndecided());
        }
        return new IOException(failure.getMessage(), failure);
    }
}
