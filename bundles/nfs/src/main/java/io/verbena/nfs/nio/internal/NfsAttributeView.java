package io.verbena.nfs.nio.internal;

import io.verbena.nfs.AttributeChanges;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;

/** The views {@code basic}, {@code posix} and {@code owner} of a file. */
final class NfsAttributeView implements PosixFileAttributeView {
    static final String BASIC = "basic";
    static final String POSIX = "posix";
    static final String OWNER = "owner";

    private final NfsPath path;
    private final boolean follows;
    private final String name;

    NfsAttributeView(NfsPath path, boolean follows, String name) {
        this.path = path;
        this.follows = follows;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public NfsFileAttributes readAttributes() throws IOException {
        return new NfsFileAttributes(path.system().attributes(path, follows));
    }

    private void change(AttributeChanges changes) throws IOException {
        if (!follows && path.system().isLink(path)) {
            throw new FileSystemException(path.toString(), null, "attributes of a symbolic link itself cannot be set");
        }
        path.system().setAttributes(path, changes);
    }

    /** The time at which a file was made cannot be set; it is ignored, as java.nio would have it. */
    @Override
    public void setTimes(FileTime lastModifiedTime, FileTime lastAccessTime, FileTime createTime) throws IOException {
        Instant modified = lastModifiedTime == null ? null : lastModifiedTime.toInstant();
        Instant accessed = lastAccessTime == null ? null : lastAccessTime.toInstant();
        if (modified != null || accessed != null) {
            change(AttributeChanges.NONE.withTimes(accessed, modified));
        }
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        // what the set cannot name is cleared, as it is on Unix
        change(AttributeChanges.NONE.withMode(Modes.of(Options.permissions(permissions))));
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        change(AttributeChanges.NONE.withOwner(nameOf(owner)));
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        change(AttributeChanges.NONE.withGroup(nameOf(group)));
    }

    private static String nameOf(UserPrincipal principal) {
        Objects.requireNonNull(principal, "a principal must be named");
        if (!(principal instanceof NfsPrincipal known)) {
            throw new ProviderMismatchException();
        }
        return known.name();
    }
}
