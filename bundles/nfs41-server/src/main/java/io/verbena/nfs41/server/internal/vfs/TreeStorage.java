package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stable storage of the exported tree, by fsync(2) of the objects themselves. Thread safe.
 *
 * <p>A symbolic link has no descriptor that could be forced; neither has, for a process that is not root's, a file that it
 * may not open. Their directory is forced instead: ext4, XFS and Btrfs bring a new object there with its name.
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
        } catch (NfsError e) {
            if (e.status() != NFS4ERR_STALE) {
                throw e;
            }
            // removed meanwhile, by a request that forces the directory: nothing is left that could be lost
            LOG.debug("What was to be brought to stable storage is gone");
        }
    }

    private void forceObject(Inode inode) throws IOException {
        UnixAttributes attributes = tree.attributes(inode);
        if (attributes.isDirectory()) {
            tree.sync(inode);
        } else if (attributes.isRegular()) {
            forceFile(inode);
        } else {
            forceParent(inode);
        }
    }

    private void forceFile(Inode file) throws IOException {
        try {
            long unused = files.with(file, false, open -> verifier.force(open, true));
        } catch (IOException e) {
            if (IoErrors.status(e) != NFS4ERR_ACCESS) {
                throw e;
            }
            if (hasWarned.compareAndSet(false, true)) {
                LOG.warn(
                        "This process may not open a file to bring its attributes to stable storage: {}",
                        e.getMessage());
            }
            forceParent(file);
        }
    }

    private void forceParent(Inode inode) throws IOException {
        Inode.Place place = inode.place();
        if (place != null) {
            tree.sync(place.parent());
        }
    }
}
