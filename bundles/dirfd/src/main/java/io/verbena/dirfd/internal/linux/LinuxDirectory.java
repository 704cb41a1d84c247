package io.verbena.dirfd.internal.linux;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.FileSystemSpace;
import io.verbena.dirfd.internal.Octets;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NotDirectoryException;

/** A directory's descriptor. */
final class LinuxDirectory extends LinuxFileReference implements Directory {
    private final boolean canSync;

    private LinuxDirectory(SystemCalls calls, int fd, boolean canSync) {
        super(calls, fd);
        this.canSync = canSync;
    }

    /**
     * Opens a directory. Where this process may search but not read the directory, it is opened for searching only.
     *
     * @param parent the descriptor of the parent directory, or {@code AT_FDCWD} with an absolute path
     */
    static LinuxDirectory open(SystemCalls calls, int parent, byte[] path) throws IOException {
        int flags = calls.abi().oDirectory() | calls.abi().oNoFollow();
        try {
            return new LinuxDirectory(calls, calls.open(parent, path, Abi.O_RDONLY | flags, 0), true);
        } catch (AccessDeniedException e) {
            return new LinuxDirectory(calls, calls.open(parent, path, Abi.O_PATH | flags, 0), false);
        } catch (FileSystemLoopException e) {
            throw (IOException) new NotDirectoryException(Octets.printable(path)).initCause(e);
        }
    }

    @Override
    public FileStatus status(byte[] name) throws IOException {
        return calls().statusIfThere(fd(), Octets.requireName(name));
    }

    @Override
    public FileReference refer(byte[] name) throws IOException {
        int flags = Abi.O_PATH | calls().abi().oNoFollow();
        return new LinuxFileReference(calls(), calls().open(fd(), Octets.requireName(name), flags, 0));
    }

    @Override
    public Directory openDirectory(byte[] name) throws IOException {
        return open(calls(), fd(), Octets.requireName(name));
    }

    @Override
    public FileReference createFile(byte[] name, int mode) throws IOException {
        int flags = Abi.O_CREAT | Abi.O_EXCL | Abi.O_WRONLY | calls().abi().oNoFollow();
        return new LinuxFileReference(calls(), calls().open(fd(), Octets.requireName(name), flags, mode));
    }

    @Override
    public void createDirectory(byte[] name, int mode) throws IOException {
        calls().makeDirectory(fd(), Octets.requireName(name), mode);
    }

    @Override
    public void createSymbolicLink(byte[] name, byte[] text) throws IOException {
        calls().makeSymbolicLink(Octets.requireText(text), fd(), Octets.requireName(name));
    }

    @Override
    public void createSpecial(byte[] name, int mode, long rdev) throws IOException {
        calls().makeSpecial(fd(), Octets.requireName(name), mode, rdev);
    }

    @Override
    public void link(byte[] name, FileReference object) throws IOException {
        calls().link(((LinuxFileReference) object).fd(), fd(), Octets.requireName(name));
    }

    @Override
    public void remove(byte[] name, boolean directory) throws IOException {
        calls().remove(fd(), Octets.requireName(name), directory);
    }

    @Override
    public void rename(byte[] name, Directory target, byte[] newName) throws IOException {
        int targetFd = ((LinuxDirectory) target).fd();
        calls().rename(fd(), Octets.requireName(name), targetFd, Octets.requireName(newName));
    }

    @Override
    public void forEachName(NameConsumer consumer) throws IOException {
        int own = calls().reopenDirectory(fd());
        try {
            DirectoryEntries.read(calls(), own, consumer);
        } finally {
            calls().close(own);
        }
    }

    @Override
    public void sync() throws IOException {
        if (canSync) {
            calls().sync(fd());
            return;
        }
        int readable = calls().reopenDirectory(fd());
        try {
            calls().sync(readable);
        } finally {
            calls().close(readable);
        }
    }

    @Override
    public boolean syncFileSystem() throws IOException {
        if (canSync) {
            calls().syncFileSystem(fd());
        }
        return canSync;
    }

    @Override
    public FileSystemSpace space() throws IOException {
        return calls().space(fd());
    }
}
