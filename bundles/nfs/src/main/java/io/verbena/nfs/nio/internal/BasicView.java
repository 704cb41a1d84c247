package io.verbena.nfs.nio.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/** The view {@code basic} of a file, or of a symbolic link itself. */
class BasicView implements BasicFileAttributeView {
    static final String NAME = "basic";

    private final NfsPath path;
    private final boolean follows;

    BasicView(NfsPath path, boolean follows) {
        this.path = path;
        this.follows = follows;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public BasicAttributes readAttributes() throws IOException {
        return new BasicAttributes(remote());
    }

    final FileAttributes remote() throws IOException {
        return path.system().attributes(path, follows);
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

    final void change(AttributeChanges changes) throws IOException {
        if (!follows && changes.mode() != null && path.system().isLink(path)) {
            throw new FileSystemException(path.toString(), null, "the permissions of a symbolic link cannot be set");
        }
        path.system().setAttributes(path, changes, follows);
    }
}
