package io.verbena.nfs;

import java.nio.file.FileSystemException;

/**
 * An error of the server for which java.nio has no exception of its own. The other errors come as
 * {@link java.nio.file.NoSuchFileException}, {@link java.nio.file.FileAlreadyExistsException},
 * {@link java.nio.file.AccessDeniedException}, {@link java.nio.file.NotDirectoryException},
 * {@link java.nio.file.DirectoryNotEmptyException}, {@link java.nio.file.NotLinkException} and
 * {@link java.nio.file.FileSystemLoopException}.
 */
public class NfsException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    private final String status;

    /**
     * @param path the object, as {@code NAME:/path} if that is known, or null
     * @param status the name in RFC 8881 section 15, like {@code NFS4ERR_NOSPC}
     * @param reason what the error means and what to do, for people
     */
    public NfsException(String path, String status, String reason) {
        super(path, null, reason);
        this.status = status;
    }

    /** The name in RFC 8881 section 15, like {@code NFS4ERR_NOSPC}. */
    public String status() {
        return status;
    }
}
