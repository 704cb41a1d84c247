package io.verbena.dirfd.internal.nio;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileReference;
import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.internal.LocalPaths;
import io.verbena.dirfd.internal.Octets;
import io.verbena.dirfd.internal.OpenOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An object known by its directory, its name and its identity, since java.nio has no descriptor of it. It can be used
 * while its directory is open and the object has that name.
 */
final class NioFileReference implements FileReference {
    private final NioDirectory directory;
    private final byte[] name;
    private final Object key;

    NioFileReference(NioDirectory directory, byte[] name, Object key) {
        this.directory = directory;
        this.name = name.clone();
        this.key = key;
    }

    boolean isKey(Object other) {
        return key.equals(other);
    }

    /** The path of the object, after a check of its identity. */
    Path provenPath() throws IOException {
        requireSame(directory.keyOf(name));
        return directory.provenPath(name);
    }

    /**
     * As {@link #provenPath()}, for a change by the path.
     *
     * @throws ErrnoException {@code EOPNOTSUPP} where another user could lead the path elsewhere meanwhile
     */
    Path changeablePath() throws IOException {
        Path proven = provenPath();
        UnswappablePath.require(proven);
        return proven;
    }

    private void requireSame(Object found) throws IOException {
        if (!key.equals(found)) {
            throw new NoSuchFileException(Octets.printable(name), null, "another object has its name now");
        }
    }

    @Override
    public FileStatus status() throws IOException {
        FileStatus status = directory.status(name);
        if (status == null || !NioStatus.isSame(key, status)) {
            throw new NoSuchFileException(Octets.printable(name));
        }
        return status;
    }

    /**
     * Refuses devices and pipes: java.nio opens an object to set attributes, and opening these may have side effects.
     */
    private FileStatus requireSettable() throws IOException {
        FileStatus status = status();
        if (!status.isRegular() && !status.isDirectory() && !status.isSymbolicLink()) {
            throw new ErrnoException(Octets.printable(name), Errno.EOPNOTSUPP.number());
        }
        return status;
    }

    @Override
    public void setMode(int mode) throws IOException {
        FileStatus current = requireSettable();
        if (current.isSymbolicLink()) {
            throw new ErrnoException(null, Errno.EOPNOTSUPP.number());
        }
        NioStatus.setMode(directory.view(name), current.mode(), this::changeablePath, mode);
    }

    @Override
    public void setOwner(Integer uid, Integer gid) throws IOException {
        if (!requireSettable().isSymbolicLink()) {
            NioStatus.setOwner(directory.view(name), provenPath(), uid, gid);
            return;
        }
        // by the path, as for lchown(2)
        if (uid != null) {
            Files.setAttribute(changeablePath(), "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        }
        if (gid != null) {
            Files.setAttribute(changeablePath(), "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    @Override
    public void setTimes(FileTime accessed, FileTime modified) throws IOException {
        BasicFileAttributeView view = requireSettable().isSymbolicLink()
                ? Files.getFileAttributeView(changeablePath(), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                : directory.view(name);
        view.setTimes(NioStatus.settable(modified), NioStatus.settable(accessed), null);
    }

    @Override
    public byte[] readLink() throws IOException {
        Path text = Files.readSymbolicLink(provenPath());
        requireSame(directory.keyOf(name));
        return LocalPaths.linkText(text);
    }

    @Override
    public FileChannel open(boolean write) throws IOException {
        if (!status().isRegular()) {
            throw new ErrnoException(Octets.printable(name), Errno.EINVAL.number());
        }
        return openNow(
                write ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE) : Set.of(StandardOpenOption.READ));
    }

    @Override
    public FileChannel open(Set<? extends OpenOption> options) throws IOException {
        FileStatus found = status();
        if (found.isDirectory() || found.isSymbolicLink()) {
            throw new ErrnoException(Octets.printable(name), Errno.EINVAL.number());
        }
        return openNow(OpenOptions.requireExisting(options));
    }

    @Override
    public boolean isWritable() throws IOException {
        return Files.isWritable(provenPath());
    }

    @Override
    public void setPrincipals(UserPrincipal owner, GroupPrincipal group) throws IOException {
        if (requireSettable().isSymbolicLink()) {
            throw new ErrnoException(Octets.printable(name), Errno.EOPNOTSUPP.number());
        }
        directory.view(name).setOwner(owner);
        directory.view(name).setGroup(group);
    }

    @Override
    public List<String> extendedAttributeNames() throws IOException {
        return NioStatus.userAttributes(provenPath());
    }

    private FileChannel openNow(Set<? extends OpenOption> options) throws IOException {
        FileChannel channel = directory.openChannel(name, options);
        try {
            requireSame(directory.keyOf(name));
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public Optional<FileReference> duplicate() {
        return Optional.empty();
    }

    @Override
    public void close() {
        // nothing is open
    }
}
