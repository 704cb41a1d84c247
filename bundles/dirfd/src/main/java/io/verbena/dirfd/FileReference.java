package io.verbena.dirfd;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
     * Opens an object of any kind but a directory or a symbolic link, with options of java.nio. Opening a pipe may
     * block, and opening a device may have an effect. The operating system checks this process's permission again.
     *
     * @param options how to open; options that would make or replace an object are refused
     * @throws IllegalArgumentException for such an option
     * @throws IOException for a directory or a symbolic link
     */
    FileChannel open(Set<? extends OpenOption> options) throws IOException;

    /** Returns whether this process may write to the object. */
    boolean isWritable() throws IOException;

    /**
     * Sets owner and group to what the host's lookup service has found. The operating system may clear set-id bits.
     *
     * @param owner an owner of the default file system
     * @param group a group of the default file system
     * @throws IOException for a symbolic link, too
     */
    void setPrincipals(UserPrincipal owner, GroupPrincipal group) throws IOException;

    /**
     * Lists the names of the object's extended attributes with their namespaces, as far as this process may see them.
     *
     * @return an empty list where the object or its file system has none; where java.nio is used, names of {@code
     *     user} alone
     */
    List<String> extendedAttributeNames() throws IOException;

    /**
     * Returns a further reference to the object. It stays valid when this one is closed.
     *
     * @return the reference, which the caller closes; empty where the implementation has no descriptor of the object
     */
    Optional<FileReference> duplicate() throws IOException;

    @Override
    void close() throws IOException;
}
