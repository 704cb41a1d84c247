package io.verbena.nfs.transfer.internal.remote;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.nfs.transfer.internal.tree.PreservedAttributes;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The attributes of files of mounts, in the directories that a copy has seen. Thread safe. */
final class RemoteAttributes {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteAttributes.class);

    private final MountSequence mount;
    private final SeenDirectories seen;

    RemoteAttributes(MountSequence mount, SeenDirectories seen) {
        this.mount = mount;
        this.seen = seen;
    }

    /** Returns the attributes of an object, in the directory that was seen, unless that is null. */
    private static FileAttributes of(Mount on, String path, FileKey above, boolean followLink) throws IOException {
        return above == null ? on.attributes(path, followLink) : on.attributes(path, above);
    }

    Optional<FileVersion> version(Mount on, String path) throws IOException {
        try {
            return Optional.of(FileVersion.of(on, of(on, path, seen.above(on, path), false)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    PreservedAttributes extras(String path) throws IOException {
        return mount.call(on -> {
            FileAttributes attributes = of(on, path, seen.aboveUnlessFollowed(on, path), true);
            return new PreservedAttributes(
                    attributes.mode(),
                    attributes.owner(),
                    attributes.group(),
                    attributes.accessed(),
                    attributes.modified());
        });
    }

    FileVersion set(String path, FileType type, int mode, Instant modified) throws IOException {
        AttributeChanges changes = AttributeChanges.NONE.withMode(mode).withTimes(null, modified);
        return mount.call(on -> FileVersion.of(on, set(on, path, object(on, path, type), changes)));
    }

    FileVersion setExtras(String path, FileType type, PreservedAttributes extras) throws IOException {
        return mount.call(on -> {
            FileKey object = object(on, path, type);
            int mode = setOwner(on, path, object, extras) ? extras.mode() : extras.modeForOthers();
            AttributeChanges changes =
                    AttributeChanges.NONE.withMode(mode).withTimes(extras.accessed(), extras.modified());
            return FileVersion.of(on, set(on, path, object, changes));
        });
    }

    private static boolean setOwner(Mount on, String path, FileKey object, PreservedAttributes extras)
            throws IOException {
        AttributeChanges owner = AttributeChanges.NONE.withOwner(extras.owner()).withGroup(extras.group());
        try {
            FileAttributes unused = set(on, path, object, owner);
            return true;
        } catch (FileSystemException e) {
            LOG.debug("{} keeps its owner", path, e);
            return false;
        }
    }

    void setLinkTime(String path, Instant modified) throws IOException {
        AttributeChanges changes = AttributeChanges.NONE.withTimes(null, modified);
        mount.call(on -> on.setAttributes(path, object(on, path, FileType.SYMBOLIC_LINK), changes));
    }

    /** Returns the directory as it was seen, or else what is there in its directory; null if that was not seen. */
    private FileKey object(Mount on, String path, FileType type) throws IOException {
        FileKey directory = type == FileType.DIRECTORY ? seen.at(on, path) : null;
        FileKey above = seen.above(on, path);
        return directory != null || above == null ? directory : FileKey.of(on.attributes(path, above));
    }

    private static FileAttributes set(Mount on, String path, FileKey object, AttributeChanges changes)
            throws IOException {
        return object == null ? on.setAttributes(path, changes) : on.setAttributes(path, object, changes);
    }
}
