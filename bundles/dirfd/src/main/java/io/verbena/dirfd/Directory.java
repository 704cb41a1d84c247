package io.verbena.dirfd;

import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;

/**
 * An open directory. All calls reach its entries from its descriptor (openat(2) and similar system calls), so that the
 * directory's path may change and may have any length.
 *
 * <p>A name is one component: octets other than zero and slash, neither {@code .} nor {@code ..}. Methods refuse any
 * other array with an {@code IllegalArgumentException}. No method follows a symbolic link.
 */
@ProviderType
public interface Directory extends FileReference {
    /** The current attributes of an entry, or null where there is no entry of that name. */
    FileStatus status(byte[] name) throws IOException;

    /**
     * Returns a reference to an entry of any kind.
     *
     * @return a reference, which the caller closes
     */
    FileReference refer(byte[] name) throws IOException;

    /**
     * Opens a directory in this one.
     *
     * @return the directory, which the caller closes
     * @throws java.nio.file.NotDirectoryException for any other object, including symbolic links
     */
    Directory openDirectory(byte[] name) throws IOException;

    /**
     * Makes an empty regular file.
     *
     * @param mode the permission bits, less the process's umask
     * @return a reference to the new file, which the caller closes
     * @throws java.nio.file.FileAlreadyExistsException where the name is taken
     */
    FileReference createFile(byte[] name, int mode) throws IOException;

    /**
     * Makes an empty directory.
     *
     * @param mode the permission bits, less the process's umask
     * @throws java.nio.file.FileAlreadyExistsException where the name is taken
     */
    void createDirectory(byte[] name, int mode) throws IOException;

    /**
     * Makes a symbolic link.
     *
     * @param text the target: at least one octet, none of them zero
     * @throws java.nio.file.FileAlreadyExistsException where the name is taken
     */
    void createSymbolicLink(byte[] name, byte[] text) throws IOException;

    /**
     * Makes a FIFO, a socket or a device file, as mknod(2).
     *
     * @param mode the type ({@code S_IFIFO}, {@code S_IFSOCK}, {@code S_IFCHR} or {@code S_IFBLK}), and the permission
     *     bits, less the process's umask
     * @param rdev the number of a device file, as {@code st_rdev} of stat(2), of which Linux has 32 bits; else ignored
     * @throws java.nio.file.FileAlreadyExistsException where the name is taken
     * @throws UnsupportedOperationException where the implementation cannot make objects of this type
     */
    void createSpecial(byte[] name, int mode, long rdev) throws IOException;

    /**
     * Makes a hard link: gives an object a further name in this directory.
     *
     * @param object not a directory; of the same implementation as this directory
     * @throws java.nio.file.FileAlreadyExistsException where the name is taken
     */
    void link(byte[] name, FileReference object) throws IOException;

    /**
     * Removes a name.
     *
     * @param directory true for an empty directory, false for any other object
     */
    void remove(byte[] name, boolean directory) throws IOException;

    /**
     * Renames an entry, as rename(2): an existing target is replaced.
     *
     * @param target the directory of the new name; of the same implementation as this directory
     */
    void rename(byte[] name, Directory target, byte[] newName) throws IOException;

    /** Receives the names of a directory, one after the other. */
    @FunctionalInterface
    interface NameConsumer {
        /**
         * Receives a name. The consumer owns the array.
         *
         * @return whether to continue
         */
        boolean accept(byte[] name) throws IOException;
    }

    /**
     * Hands over each name but {@code .} and {@code ..} in the file system's order, until the consumer has enough.
     * Calls may go on side by side.
     */
    void forEachName(NameConsumer consumer) throws IOException;

    /**
     * Brings the directory's names to stable storage, as fsync(2). Blocks, except where the file system has no stable
     * storage for names.
     *
     * @throws java.nio.file.AccessDeniedException where this process may search but not read the directory; nothing was
     *     tried then
     */
    void sync() throws IOException;

    /**
     * Brings all of the directory's file system to stable storage, as syncfs(2): objects, too, that this process may
     * not open. Takes no further descriptor. Blocks, for long where there is much to bring there.
     *
     * @return false where the implementation has no such call, or this process may not read the directory; nothing was
     *     tried then
     */
    boolean syncFileSystem() throws IOException;

    /** The space of the directory's file system. */
    FileSystemSpace space() throws IOException;
}
