package io.verbena.dirfd;

import java.io.IOException;
import org.osgi.annotation.versioning.ProviderType;

/**
 * An open directory. Its entries are reached from its descriptor (openat(2) and its kin), whatever becomes of the path
 * that the directory once had, and however long that path would be.
 *
 * <p>A name is one component: octets other than zero and slash, neither {@code .} nor {@code ..}. Another array is
 * refused with {@code IllegalArgumentException}. No method follows a symbolic link.
 */
@ProviderType
public interface Directory extends FileReference {
    /** An entry's attributes now, or null where there is no entry of that name. */
    FileStatus status(byte[] name) throws IOException;

    /**
     * Refers to an entry of any kind.
     *
     * @return a reference, which the caller closes
     */
    FileReference refer(byte[] name) throws IOException;

    /**
     * Opens a directory in this one.
     *
     * @return the directory, which the caller closes
     * @throws java.nio.file.NotDirectoryException for all else, symbolic links too
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
     * @param text what it holds: octets other than zero, at least one
     * @throws java.nio.file.FileAlreadyExistsException where the name is taken
     */
    void createSymbolicLink(byte[] name, byte[] text) throws IOException;

    /**
     * Gives an object a name in this directory.
     *
     * @param object not a directory; of the same implementation as this directory
     * @throws java.nio.file.FileAlreadyExistsException where the name is taken
     */
    void link(byte[] name, FileReference object) throws IOException;

    /**
     * Removes a name.
     *
     * @param directory whether it is that of a directory, which must be empty; of all else where not
     */
    void remove(byte[] name, boolean directory) throws IOException;

    /**
     * Gives an entry another name, as rename(2): an existing target is replaced.
     *
     * @param target where the new name is; of the same implementation as this directory
     */
    void rename(byte[] name, Directory target, byte[] newName) throws IOException;

    /** Takes the names of a directory, one after the other. */
    @FunctionalInterface
    interface NameConsumer {
        /**
         * Takes a name, and the array with it.
         *
         * @return whether to go on
         */
        boolean accept(byte[] name) throws IOException;
    }

    /**
     * Hands over each name but {@code .} and {@code ..} in the file system's order, until the consumer has enough. Calls
     * may go on side by side.
     */
    void forEachName(NameConsumer consumer) throws IOException;

    /**
     * Brings the directory's names to stable storage, as fsync(2). Returns at once where the file system says that it
     * has nothing to bring there. Blocks.
     *
     * @throws java.nio.file.AccessDeniedException where this process may go through the directory and not read it:
     *     nothing has been tried
     */
    void sync() throws IOException;

    /**
     * Brings all of the directory's file system to stable storage, as syncfs(2): objects, too, that this process may not
     * open. Takes no further descriptor. Blocks, for long where there is much to bring there.
     *
     * @return false, and nothing has been tried, where the implementation has no call for that, or this process may not
     *     read the directory
     */
    boolean syncFileSystem() throws IOException;
}
