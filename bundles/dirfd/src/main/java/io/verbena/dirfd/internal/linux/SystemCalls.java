package io.verbena.dirfd.internal.linux;

import com.kenai.jffi.LastError;
import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.FileSystemSpace;
import io.verbena.dirfd.internal.Octets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.attribute.FileTime;
import java.util.List;

/**
 * The system calls, with their errors as exceptions. Paths are octets; a path relative to a descriptor has one
 * component. Thread safe.
 */
final class SystemCalls {
    private static final LastError LAST = LastError.getInstance();
    private static final byte[] EMPTY = {};
    private static final byte[] DOT = {'.'};
    private static final int STATX_FLAGS = Abi.AT_SYMLINK_NOFOLLOW | Abi.AT_NO_AUTOMOUNT;
    private static final int STATX_MASK = Abi.STATX_BASIC_STATS | Abi.STATX_BTIME;

    private final CLibrary library;
    private final Abi abi;
    private volatile AttributeNames attributes;

    SystemCalls(CLibrary library, Abi abi) {
        this.library = library;
        this.abi = abi;
    }

    Abi abi() {
        return abi;
    }

    /** Opens an object with {@code O_CLOEXEC}. */
    int open(int directory, byte[] path, int flags, int mode) throws IOException {
        requireLength(path);
        try (Scratch scratch = Scratch.take()) {
            long address = scratch.first(path);
            while (true) {
                int fd = library.openat(directory, address, flags | Abi.O_CLOEXEC, mode);
                if (fd >= 0) {
                    return fd;
                }
                int errno = LAST.get();
                if (errno != Errno.EINTR.number()) {
                    throw failure(errno, path);
                }
            }
        }
    }

    /** Opens a directory once more, so that its entries can be read independently of other users of the descriptor. */
    int reopenDirectory(int directory) throws IOException {
        return open(directory, DOT, Abi.O_RDONLY | abi.oDirectory(), 0);
    }

    void close(int fd) throws IOException {
        if (library.close(fd) != 0) {
            int errno = LAST.get();
            if (errno != Errno.EINTR.number()) { // after EINTR the descriptor is closed as well
                throw failure(errno, EMPTY);
            }
        }
    }

    FileStatus status(int fd) throws IOException {
        int flags = Abi.AT_EMPTY_PATH | Abi.AT_NO_AUTOMOUNT;
        try (Scratch scratch = Scratch.take()) {
            check(library.statx(fd, scratch.first(EMPTY), flags, STATX_MASK, scratch.statxAddress()), EMPTY);
            return scratch.statx().toStatus();
        }
    }

    /** The status of an entry, or null where there is no such entry. */
    FileStatus statusIfThere(int directory, byte[] name) throws IOException {
        requireLength(name);
        try (Scratch scratch = Scratch.take()) {
            if (library.statx(directory, scratch.first(name), STATX_FLAGS, STATX_MASK, scratch.statxAddress()) == 0) {
                return scratch.statx().toStatus();
            }
            int errno = LAST.get();
            if (errno == Errno.ENOENT.number()) {
                return null;
            }
            throw failure(errno, name);
        }
    }

    void makeDirectory(int directory, byte[] name, int mode) throws IOException {
        requireLength(name);
        try (Scratch scratch = Scratch.take()) {
            check(library.mkdirat(directory, scratch.first(name), mode), name);
        }
    }

    void makeSymbolicLink(byte[] text, int directory, byte[] name) throws IOException {
        requireLength(text);
        requireLength(name);
        try (Scratch scratch = Scratch.take()) {
            check(library.symlinkat(scratch.first(text), directory, scratch.second(name)), name);
        }
    }

    void makeSpecial(int directory, byte[] name, int mode, long rdev) throws IOException {
        requireLength(name);
        if (rdev >>> Integer.SIZE != 0) { // the system call would take a part of it
            throw new ErrnoException(Octets.printable(name), Errno.EINVAL.number());
        }
        try (Scratch scratch = Scratch.take()) {
            check((int) library.syscall(abi.sysMknodat(), directory, scratch.first(name), mode, rdev), name);
        }
    }

    /** Gives a descriptor's object a further name. */
    void link(int fd, int directory, byte[] name) throws IOException {
        requireLength(name);
        try (Scratch scratch = Scratch.take()) {
            long object = scratch.first(descriptorPath(fd));
            check(library.linkat(Abi.AT_FDCWD, object, directory, scratch.second(name), Abi.AT_SYMLINK_FOLLOW), name);
        }
    }

    void remove(int directory, byte[] name, boolean isDirectory) throws IOException {
        requireLength(name);
        int flags = isDirectory ? Abi.AT_REMOVEDIR : 0;
        try (Scratch scratch = Scratch.take()) {
            check(library.unlinkat(directory, scratch.first(name), flags), name);
        }
    }

    void rename(int directory, byte[] name, int target, byte[] newName) throws IOException {
        requireLength(name);
        requireLength(newName);
        try (Scratch scratch = Scratch.take()) {
            check(library.renameat(directory, scratch.first(name), target, scratch.second(newName)), name);
        }
    }

    /** The target of a link, or null where the descriptor's object is not a link. */
    byte[] readLink(int fd) throws IOException {
        try (Scratch scratch = Scratch.take()) {
            long length = library.readlinkat(fd, scratch.first(EMPTY), scratch.entriesAddress(), Scratch.ENTRIES_SIZE);
            if (length < 0) {
                int errno = LAST.get();
                if (errno == Errno.EINVAL.number() || errno == Errno.ENOENT.number()) {
                    return null;
                }
                throw failure(errno, EMPTY);
            }
            if (length >= Scratch.ENTRIES_SIZE) {
                throw failure(Errno.ENAMETOOLONG.number(), EMPTY); // a truncated target is not the whole
            }
            return scratch.entries((int) length);
        }
    }

    void setMode(int fd, int mode) throws IOException {
        try (Scratch scratch = Scratch.take()) {
            check(library.fchmodat(Abi.AT_FDCWD, scratch.first(descriptorPath(fd)), mode, 0), EMPTY);
        }
    }

    /** Sets owner and group as chown(2); -1 leaves a number unchanged. */
    void setOwner(int fd, int uid, int gid) throws IOException {
        try (Scratch scratch = Scratch.take()) {
            check(library.fchownat(fd, scratch.first(EMPTY), uid, gid, Abi.AT_EMPTY_PATH), EMPTY);
        }
    }

    void setTimes(int fd, FileTime accessed, FileTime modified) throws IOException {
        try (Scratch scratch = Scratch.take()) {
            long path = scratch.first(descriptorPath(fd));
            check(library.utimensat(Abi.AT_FDCWD, path, scratch.times(accessed, modified), 0), EMPTY);
        }
    }

    void sync(int fd) throws IOException {
        if (library.fsync(fd) != 0) {
            int errno = LAST.get();
            if (errno != Errno.EINVAL.number()) { // this file system has no stable storage for names
                throw failure(errno, EMPTY);
            }
        }
    }

    void syncFileSystem(int fd) throws IOException {
        check(library.syncfs(fd), EMPTY);
    }

    FileSystemSpace space(int fd) throws IOException {
        try (Scratch scratch = Scratch.take()) {
            check(library.fstatvfs(fd, scratch.entriesAddress()), EMPTY);
            return StatvfsResult.space(
                    ByteBuffer.wrap(scratch.entries(StatvfsResult.SIZE)).order(ByteOrder.nativeOrder()));
        }
    }

    /** The names of the extended attributes of a descriptor's object. */
    List<String> attributeNames(int fd) throws IOException {
        AttributeNames names = attributes;
        if (names == null) {
            names = AttributeNames.load(); // the library is loaded again where two threads are the first
            attributes = names;
        }
        return names.of(descriptorPath(fd));
    }

    /** Reads the next entries of a directory; none at the end. */
    byte[] readEntries(int fd) throws IOException {
        try (Scratch scratch = Scratch.take()) {
            long length = library.syscall(abi.sysGetdents64(), fd, scratch.entriesAddress(), Scratch.ENTRIES_SIZE);
            if (length < 0) {
                throw failure(LAST.get(), EMPTY);
            }
            return scratch.entries((int) length);
        }
    }

    /** The path in /proc of a descriptor's object, which may be of any kind. */
    static byte[] descriptorPath(int fd) {
        return ("/proc/self/fd/" + fd).getBytes(StandardCharsets.US_ASCII);
    }

    private static void requireLength(byte[] path) throws IOException {
        if (path.length > Scratch.MAX_TEXT) {
            throw failure(Errno.ENAMETOOLONG.number(), EMPTY);
        }
    }

    private static void check(int result, byte[] name) throws IOException {
        if (result != 0) {
            throw failure(LAST.get(), name);
        }
    }

    /** Loads the exception classes in advance: loading may open a file, which fails when descriptors run out. */
    static void prepareFailures() {
        for (Errno errno : Errno.values()) {
            IOException unused = failure(errno.number(), EMPTY);
        }
    }

    /** The exception for an error number; see {@link io.verbena.dirfd.FileReference}. */
    static IOException failure(int errno, byte[] name) {
        String printable = Octets.printable(name);
        return switch (Errno.of(errno)) {
            case ENOENT -> new NoSuchFileException(printable);
            case EEXIST -> new FileAlreadyExistsException(printable);
            case EACCES -> new AccessDeniedException(printable);
            case ENOTEMPTY -> new DirectoryNotEmptyException(printable);
            case ENOTDIR -> new NotDirectoryException(printable);
            case ELOOP -> new FileSystemLoopException(printable);
            default -> new ErrnoException(printable, errno);
        };
    }
}
