package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.Mount;
import io.verbena.nfs.nio.internal.mount.Closing;
import io.verbena.nfs.nio.internal.mount.MountSource;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.runtime.Runtime;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A mount's tree of files, as its paths see it: attributes, links and removal by path. Knows all that is open in it,
 * and closes that with the file system. Thread safe.
 */
public abstract class MountTree extends FileSystem {
    private final ReplaceableMount mount;
    private final Runtime runtime;
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();

    public MountTree(MountSource source, Runtime runtime) {
        this.runtime = runtime;
        this.mount = new ReplaceableMount(source);
    }

    public abstract NfsPath root();

    public abstract URI uri(NfsPath path);

    /** The mount; once the file system is closed, it refuses every call. */
    public final ReplaceableMount mount() {
        return mount;
    }

    public final Runtime runtime() {
        return runtime;
    }

    public final FileAttributes attributes(NfsPath path, boolean follows) throws IOException {
        ListedAttributes listed = path.takeListed();
        if (listed != null && isOpen() && listed.answers(follows)) {
            return listed.attributes();
        }
        return mount().call(path, mount -> attributes(mount, path, follows));
    }

    /** In a directory that was seen, a symbolic link is one that was there; it is followed by its path. */
    private static FileAttributes attributes(Mount mount, NfsPath path, boolean follows) throws IOException {
        String at = path.mountPath();
        if (path.directory() != null) {
            FileAttributes there = mount.attributes(at, path.directory());
            if (!follows || !there.isSymbolicLink()) {
                return there;
            }
        }
        return mount.attributes(at, follows);
    }

    public final void setAttributes(NfsPath path, AttributeChanges wanted, boolean follows) throws IOException {
        mount().call(path, mount -> {
            String at = path.mountPath();
            if (path.directory() == null) {
                return mount.setAttributes(at, wanted, follows);
            }
            FileAttributes there = mount.attributes(at, path.directory());
            return follows && there.isSymbolicLink()
                    ? mount.setAttributes(at, wanted, true)
                    : mount.setAttributes(at, FileKey.of(there), wanted);
        });
    }

    public final boolean exists(NfsPath path) throws IOException {
        try {
            return attributes(path, false) != null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    public final boolean isLink(NfsPath path) throws IOException {
        return path.getNameCount() > 0 && attributes(path, false).isSymbolicLink();
    }

    public final String readLink(NfsPath path) throws IOException {
        return mount().call(path, mount -> mount.readLink(path.mountPath()));
    }

    public final void delete(NfsPath path) throws IOException {
        requireRemovable(path, path);
        NameChanges.remove(path);
    }

    /**
     * Refuses to remove a directory that was given without a name of its own.
     *
     * @param given what the caller wrote
     * @param path where that leads
     */
    public final void requireRemovable(NfsPath given, NfsPath path) throws IOException {
        if (!given.isNamed()) {
            FileAttributes there = attributes(path, false);
            if (given.endsUp() && there.isDirectory()) {
                throw new DirectoryNotEmptyException(given.toString());
            }
            throw new FileSystemException(given.toString(), null, "the path ends with no name of its own");
        }
    }

    public final void deleteIfExists(NfsPath path) throws IOException {
        try {
            delete(path);
        } catch (NoSuchFileException e) {
            // another caller was faster
        }
    }

    /** Adds an object that is closed with the file system. */
    public final void opened(Closeable one) {
        open.add(one);
    }

    public final void closed(Closeable one) {
        open.remove(one);
    }

    /**
     * Closes all that is open in the tree, and then the mount if it belongs to the file system.
     *
     * @param closing is given each close as a step
     */
    protected final void closeAll(Closing closing) {
        open.forEach(closing::run);
        closing.run(mount::close);
    }
}
