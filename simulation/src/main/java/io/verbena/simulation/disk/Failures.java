package io.verbena.simulation.disk;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Error numbers as exceptions. */
final class Failures {
    private Failures() {}

    /**
     * The exception of a call by a directory or a reference.
     *
     * @param name the printable name of the object, or null
     */
    static IOException of(Errno errno, String name) {
        return switch (errno) {
            case ENOENT -> new NoSuchFileException(name);
            case EEXIST -> new FileAlreadyExistsException(name);
            case EACCES -> new AccessDeniedException(name);
            case ENOTEMPTY -> new DirectoryNotEmptyException(name);
            case ENOTDIR -> new NotDirectoryException(name);
            case ELOOP -> new FileSystemLoopException(name);
            default -> new ErrnoException(name, errno.number());
        };
    }

    static IOException of(Errno errno, Name name) {
        return of(errno, name.toString());
    }

    /** The exception of a call by a channel, as java.nio's channels throw it: only the message tells. */
    static IOException ofChannel(Errno errno) {
        return new IOException(errno.text());
    }
}
