package io.verbena.dirfd;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A descriptor of an object of any kind. It refers to the same object even if the object's names change. A reference
 * does not open the object, so that devices and pipes are not affected.
 *
 * <p>Thread safe except for {@link #close}: no thread may use a reference while or after it is closed.
 *
 * <p>Failures are exceptions of java.nio where it has one for the error: {@code NoSuchFileException},
 * {@code FileAlreadyExistsException}, {@code AccessDeniedException} for EACCES, {@code DirectoryNotEmptyException},
 * {@code NotDirectoryException}, {@code NotLinkException}, {@code FileSystemLoopException}. All others are
 * {@link ErrnoException}s where the operating system is called directly, and other {@code FileSystemException}s where
 * java.nio calls it.
 */
@ProviderType
public interface FileReference extends Closeable {
    /** The current attributes of the object. */
    FileStatus status() throws IOException;

    /**
     * Sets the permission bits, as chmod(2).
     *
     * @param mode the low twelve bits
     * @throws IOException for a symbolic link, which has no mode of its own
     */
    void setMode(int mode) throws IOException;

    /**
     * Sets owner and group, as lchown(2). The operating system may clear set-id bits.
     *
     * @param uid an unsigned number of 32 bits; null leaves the owner
     * @param gid an unsigned number of 32 bits; null leaves the group
     */
    void setOwner(Integer uid, Integer gid) throws IOException;

    /**
     * Sets times, with nanoseconds.
     *
     * @param accessed null leaves the time of access
     * @param modified null leaves the time of modification
     */
    void setTimes(FileTime accessed, FileTime modified) throws IOException;

    /**
     * The target of a symbolic link.
     *
     * @throws java.nio.file.NotLinkException where the object is not a symbolic link
     */
    byte[] readLink() throws IOException;

    /**
     * Opens a regular file. The operating system checks this process's permission again.
     *
     * @param write whether to open it for writing as well
     * @throws ErrnoException EINVAL where the object is not a regular file
     */
    FileChannel open(boolean write) throws IOException;

    /**
     * Returns a further reference to the object. It stays valid when this one is closed.
     *
     * @return the reference, which the caller closes; empty where the implementation has no descriptor of the object
     */
    Optional<FileReference> duplicate() throws IOException;

    @Override
    void close() throws IOException;
}
