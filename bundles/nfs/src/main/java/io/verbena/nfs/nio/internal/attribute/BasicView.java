package io.verbena.nfs.nio.internal.attribute;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/** The view {@code basic} of a file, or of a symbolic link itself. */
public class BasicView implements BasicFileAttributeView {
    static final String NAME = "basic";

    private final Place place;
    private final boolean follows;

    /** Where the object is. */
    @FunctionalInterface
    public interface Place {
        NfsPath path() throws IOException;
    }

    BasicView(Place place, boolean follows) {
        this.place = place;
        this.follows = follows;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public BasicAttributes readAttributes() throws IOException {
        return new BasicAttributes(attributes());
    }

    final FileAttributes attributes() throws IOException {
        NfsPath path = place.path();
        return path.system().attributes(path, follows);
    }

    /** Sets two times. The creation time cannot be set and is ignored, as java.nio specifies. */
    @Override
    public void setTimes(FileTime lastModifiedTime, FileTime lastAccessTime, FileTime createTime) throws IOException {
        Instant modified = lastModifiedTime == null ? null : lastModifiedTime.toInstant();
        Instant accessed = lastAccessTime == null ? null : lastAccessTime.toInstant();
        if (modified != null || accessed != null) {
            change(AttributeChanges.NONE.withTimes(accessed, modified));
        }
    }

    final void change(AttributeChanges changes) throws IOException {
        NfsPath path = place.path();
        if (!follows && changes.mode() != null && path.system().isLink(path)) {
            throw new FileSystemException(path.toString(), null, "the permissions of a symbolic link cannot be set");
        }
        path.system().setAttributes(path, changes, follows);
    }
}
