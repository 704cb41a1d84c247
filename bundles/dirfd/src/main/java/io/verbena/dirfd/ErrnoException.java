package io.verbena.dirfd;

import java.nio.file.FileSystemException;

/** A failed call of the operating system for which java.nio has no exception of its own. */
public final class ErrnoException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    /**
     * @param file the printable name of the object, or null
     * @param number the operating system's error number
     */
    public ErrnoException(String file, int number) {
        super(file, null, text(number));
        errno = Errno.of(number);
    }

    private static String text(int number) {
        Errno known = Errno.of(number);
        return known == Errno.OTHER ? known.text() + ' ' + number : known.text();
    }

    /** The error of the failed call. */
    public Errno errno() {
        return errno;
    }
}
