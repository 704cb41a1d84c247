package io.verbena.hadoop.internal.tree;

import io.verbena.nfs.NfsException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.security.AccessControlException;

/** Translates failures of a mount to those that callers of Hadoop expect. */
public final class Failures {
    private Failures() {}

    /** A failure of an operation on an object that has to exist. */
    public static IOException of(Path path, IOException failure) {
        if (isGone(failure)) {
            return caused(new FileNotFoundException(path + " does not exist"), failure);
        }
        if (failure instanceof AccessDeniedException) {
            return caused(new AccessControlException(path + ": " + failure.getMessage()), failure);
        }
        if (failure instanceof java.nio.file.FileAlreadyExistsException) {
            return caused(new FileAlreadyExistsException(path + " exists"), failure);
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return caused(new PathIsNotEmptyDirectoryException(path.toString()), failure);
        }
        if (failure instanceof FileSystemException) {
            return new PathIOException(path.toString(), failure.getMessage(), failure);
        }
        return failure;
    }

    /** A failure of an operation that creates an object. */
    public static IOException ofNew(Path path, IOException failure) {
        if (failure instanceof NotDirectoryException) {
            return caused(
                    new ParentNotDirectoryException(path + " would lie in a file, which is no directory"), failure);
        }
        if (isDirectory(failure)) {
            return caused(new FileAlreadyExistsException(path + " exists, and is a directory"), failure);
        }
        return of(path, failure);
    }

    /** Whether the server says that there is no object, or not any more. */
    static boolean isGone(IOException failure) {
        return failure instanceof NoSuchFileException
                || failure instanceof NotDirectoryException
                || hasStatus(failure, "NFS4ERR_STALE");
    }

    /** Whether the server says that the object is a directory. */
    static boolean isDirectory(IOException failure) {
        return hasStatus(failure, "NFS4ERR_ISDIR");
    }

    static boolean hasStatus(IOException failure, String status) {
        return failure instanceof NfsException known && known.status().equals(status);
    }

    private static <E extends IOException> E caused(E failure, IOException cause) {
        failure.initCause(cause);
        return failure;
    }

    /** The failure within what a future or an iterator has thrown. */
    public static IOException unwrapped(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException
                        || cause instanceof ExecutionException
                        || cause instanceof UncheckedIOException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof IOException failure ? failure : new IOException(cause.toString(), cause);
    }
}
