package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_PERM;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stable storage of the exported tree, by fsync(2) of the objects themselves. Thread safe.
 *
 * <p>Not each object can be forced. A symbolic link has no descriptor for it: its directory is forced instead, with which
 * ext4, XFS and Btrfs bring a new object there. A process that is not root's may be kept from opening a file or reading a
 * directory, and descriptors may be lacking: then all of the file system is brought there, by syncfs(2), which needs only
 * the exported directory. Where there is no such call, as without native code, the object's directory is forced.
 */
public final class TreeStorage implements Durability.Storage {
    private static final Logger LOG = LoggerFactory.getLogger(TreeStorage.class);

    private final ExportTree tree;
    private final OpenFiles files;
    private final WriteVerifier verifier;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    public TreeStorage(ExportTree tree, OpenFiles files, WriteVerifier verifier) {
        this.tree = tree;
        this.files = files;
        this.verifier = verifier;
    }

    @Override
    public void force(Inode inode) throws IOException {
        try {
            forceObject(inode);
        } catch (IOException e) {
            Status status = IoErrors.status(e);
            if (e instanceof NfsError && status == NFS4ERR_STALE) {
                // removed meanwhile, by a request that forces the directory: nothing is left that could be lost
                LOG.debug("What was to be brought to stable storage is gone");
            } else if (isNotBegun(status)) {
                forceAll(inode, e);
            } else {
                throw e;
            }
        }
    }

    /** No fsync(2) fails so, but what opens an object for it does. */
    private static boolean isNotBegun(Status status) {
        return status == NFS4ERR_ACCESS || status == NFS4ERR_PERM || status == NFS4ERR_DELAY;
    }

    private void forceObject(Inode inode) throws IOException {
        UnixAttributes attributes = tree.attributes(inode);
        if (attributes.isDirectory()) {
            tree.sync(inode);
        } else if (attributes.isRegular()) {
            long unused = files.with(inode, false, this::force);
        } else {
            forceParent(inode);
        }
    }

    private long force(OpenFile file) throws IOException {
        try {
            return verifier.force(file, true);
        } catch (IOException e) {
            throw new IOException("fsync(2) has failed", e); // whatever it has failed with, it was begun
        }
    }

    private void forceAll(Inode inode, IOException cause) throws IOException {
        if (hasWarned.compareAndSet(false, true)) {
            LOG.warn(
                    "This process cannot open some of the exported files and directories, and has the whole file system"
                            + " brought to stable storage for each change of these, which takes longer: {}",
                    cause.toString());
        }
        if (tree.syncFileSystem()) {
            return;
        }
        try {
            forceParent(inode);
        } catch (IOException e) {
            Status status = IoErrors.status(e);
            throw isNotBegun(status) ? new NfsError(status) : e;
        }
    }

    private void forceParent(Inode inode) throws IOException {
        Inode.Place place = inode.place();
        if (place != null) {
            tree.sync(place.parent());
        }
    }
}
