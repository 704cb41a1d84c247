package io.verbena.dirfd.internal.linux;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.internal.OpenOptions;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A descriptor, opened with {@code O_PATH} or with other flags. */
class LinuxFileReference implements FileReference {
    private static final int CLOSED = -1;
    private static final int UNCHANGED = -1;
    private static final int MODE_BITS = 07777;
    private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    private static final Set<StandardOpenOption> READ_WRITE = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final SystemCalls calls;
    private volatile int fd;

    /** The first status that was read, for the type of the object, which never changes; null before that. */
    private volatile FileStatus first;

    LinuxFileReference(SystemCalls calls, int fd) {
        this.calls = calls;
        this.fd = fd;
    }

    final SystemCalls calls() {
        return calls;
    }

    final int fd() throws IOException {
        int open = fd;
        if (open == CLOSED) {
            throw new ClosedChannelException();
        }
        return open;
    }

    @Override
    public final FileStatus status() throws IOException {
        FileStatus now = calls.status(fd());
        first = now;
        return now;
    }

    /** A status with the type of the object; all else may have changed since. */
    private FileStatus typed() throws IOException {
        FileStatus known = first;
        return known == null ? status() : known;
    }

    @Override
    public final void setMode(int mode) throws IOException {
        if (typed().isSymbolicLink()) {
            throw new ErrnoException(null, Errno.EOPNOTSUPP.number()); // some kernels store a mode for a link
        }
        calls.setMode(fd(), mode & MODE_BITS);
    }

    @Override
    public final void setOwner(Integer uid, Integer gid) throws IOException {
        if ((uid != null && uid == UNCHANGED) || (gid != null && gid == UNCHANGED)) {
            throw new ErrnoException(null, Errno.EINVAL.number()); // no user has this number
        }
        calls.setOwner(fd(), uid == null ? UNCHANGED : uid, gid == null ? UNCHANGED : gid);
    }

    @Override
    public final void setTimes(FileTime accessed, FileTime modified) throws IOException {
        if (accessed != null || modified != null) {
            calls.setTimes(fd(), accessed, modified);
        }
    }

    @Override
    public final byte[] readLink() throws IOException {
        byte[] text = calls.readLink(fd());
        if (text == null) {
            throw new NotLinkException(null);
        }
        return text;
    }

    /** Opens the descriptor's path in /proc: the kernel opens the descriptor's object without resolving any name. */
    @Override
    public final FileChannel open(boolean write) throws IOException {
        if (!typed().isRegular()) {
            throw new ErrnoException(null, Errno.EINVAL.number());
        }
        try {
            return FileChannel.open(path(), write ? READ_WRITE : READ);
        } catch (FileSystemException e) {
            // java.nio reports most errors as text in this host's language: the call is repeated to get the number
            byte[] path = SystemCalls.descriptorPath(fd());
            calls.close(calls.open(Abi.AT_FDCWD, path, write ? Abi.O_RDWR : Abi.O_RDONLY, 0));
            throw e;
        }
    }

    @Override
    public final FileChannel open(Set<? extends OpenOption> options) throws IOException {
        FileStatus found = typed();
        if (found.isDirectory() || found.isSymbolicLink()) {
            throw new ErrnoException(null, Errno.EINVAL.number());
        }
        return FileChannel.open(path(), OpenOptions.requireExisting(options));
    }

    /** The descriptor's path in /proc. */
    private Path path() throws IOException {
        return Path.of(new String(SystemCalls.descriptorPath(fd()), StandardCharsets.US_ASCII));
    }

    @Override
    public final boolean isWritable() throws IOException {
        return Files.isWritable(path());
    }

    @Override
    public final void setPrincipals(UserPrincipal owner, GroupPrincipal group) throws IOException {
        if (typed().isSymbolicLink()) {
            throw new ErrnoException(null, Errno.EOPNOTSUPP.number());
        }
        PosixFileAttributeView view = Files.getFileAttributeView(path(), PosixFileAttributeView.class);
        view.setOwner(owner);
        view.setGroup(group);
    }

    @Override
    public final List<String> extendedAttributeNames() throws IOException {
        return calls.attributeNames(fd());
    }

    @Override
    public final Optional<FileReference> duplicate() throws IOException {
        byte[] path = SystemCalls.descriptorPath(fd());
        return Optional.of(new LinuxFileReference(calls, calls.open(Abi.AT_FDCWD, path, Abi.O_PATH, 0)));
    }

    @Override
    public final void close() throws IOException {
        int open;
        synchronized (this) {
            open = fd;
            fd = CLOSED;
        }
        if (open != CLOSED) {
            calls.close(open);
        }
    }
}
