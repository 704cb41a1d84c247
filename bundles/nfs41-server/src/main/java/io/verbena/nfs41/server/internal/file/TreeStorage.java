package io.verbena.nfs41.server.internal.file;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_PERM;
import static io.verbena.nfs41.Status.NFS4ERR_STALE;

import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import java.io.IOException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stable storage of the exported tree, by fsync(2) of the objects themselves. Thread safe.
 *
 * <p>Some objects cannot be forced. A symbolic link has no descriptor for fsync(2): its directory is forced instead,
 * with which ext4, XFS and Btrfs bring a new link to stable storage. A process that does not run as root may have no
 * permission to open a file or to read a directory, and descriptors may be exhausted: then the whole file system is
 * brought there, by syncfs(2), which needs only the exported directory. If that call is missing, as without native
 * code, the directory of the object is forced.
 *
 * <p>Many objects at once are brought there by syncfs(2), too, where it reports each loss of written data: since Linux
 * 5.8, to each descriptor once. The exported directory stays open for as long as the export, so no loss is missed. File
 * systems of other kinds than the known ones keep fsync(2): those in user space (fuse) are not told of syncfs(2).
 */
public final class TreeStorage implements Durability.Storage {
    private static final Logger LOG = LoggerFactory.getLogger(TreeStorage.class);

    private static final Set<String> KNOWN = Set.of("ext4", "xfs", "btrfs", "f2fs", "tmpfs");
    private static final boolean REPORTS_LOSS = reportsLoss(System.getProperty("os.version"));

    private final ExportTree tree;
    private final OpenFiles files;
    private final WriteVerifier verifier;
    private final boolean forcesTogether;
    private final AtomicBoolean hasWarnedOfPermission = new AtomicBoolean();
    private final AtomicBoolean hasWarnedOfDescriptors = new AtomicBoolean();

    public TreeStorage(ExportTree tree, OpenFiles files, WriteVerifier verifier) {
        this.tree = tree;
        this.files = files;
        this.verifier = verifier;
        this.forcesTogether = REPORTS_LOSS && isKnown(kind(tree));
    }

    /** The kind of the file system; empty where this process is not told, as without /proc. */
    private static String kind(ExportTree tree) {
        try {
            return tree.store().type();
        } catch (IOException e) {
            LOG.debug("The kind of the exported file system is unknown: each object is forced alone", e);
            return "";
        }
    }

    /** Whether syncfs(2) brings all objects of this kind of file system to stable storage. */
    static boolean isKnown(String fileSystem) {
        return KNOWN.contains(fileSystem);
    }

    @Override
    public void force(Inode inode) throws IOException {
        try {
            forceObject(inode);
        } catch (IOException e) {
            Status status = IoErrors.status(e);
            if (e instanceof NfsError && status == NFS4ERR_STALE) {
                forceMissing(inode);
            } else if (isNotBegun(status)) {
                warn(e);
                forceAll(inode);
            } else {
                throw e;
            }
        }
    }

    @Override
    public boolean forceTogether(Collection<Inode> inodes) throws IOException {
        return forcesTogether && files.forceAll(inodes, this::syncFileSystem);
    }

    /** Whether syncfs(2) reports that written data was lost. */
    static boolean reportsLoss(String release) {
        Matcher version = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*").matcher(release);
        if (!version.matches()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        return major > 5 || (major == 5 && Integer.parseInt(version.group(2)) >= 8);
    }

    /**
     * Whether the object could not be opened, so that no fsync(2) has begun: fsync(2) itself never fails with these.
     */
    private static boolean isNotBegun(Status status) {
        return status == NFS4ERR_ACCESS || status == NFS4ERR_PERM || status == NFS4ERR_DELAY;
    }

    /** The object is not found in the exported tree. */
    private void forceMissing(Inode inode) throws IOException {
        if (tree.isRemoved(inode)) {
            // another request has removed the object, and forces the directory: there is nothing left to lose
            LOG.debug("An object was removed before it was brought to stable storage");
        } else {
            forceAll(inode); // a program of this host may have moved it out of the tree
        }
    }

    private void forceObject(Inode inode) throws IOException {
        if (files.withOpen(inode, this::force)) {
            return; // wherever the file is, and whoever may open it
        }
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
            throw new IOException("fsync(2) has failed", e); // the fsync has begun, whatever its error
        }
    }

    private void warn(IOException cause) {
        if (IoErrors.isOutOfDescriptors(cause)) {
            warnOnce(hasWarnedOfDescriptors, "gets no more file descriptors (ulimit -n)", cause);
        } else if (IoErrors.status(cause) == NFS4ERR_DELAY) {
            LOG.debug("An object cannot be opened now", cause); // as while another request looks for it
        } else {
            warnOnce(hasWarnedOfPermission, "may not open some of the exported files and directories", cause);
        }
    }

    private static void warnOnce(AtomicBoolean hasWarned, String why, IOException cause) {
        if (hasWarned.compareAndSet(false, true)) {
            LOG.warn(
                    "This process {}. A change of what it cannot open is brought to stable storage with the whole file"
                            + " system, which takes longer, or without syncfs(2) with the directory alone: {}",
                    why,
                    cause.toString());
        }
    }

    private void forceAll(Inode inode) throws IOException {
        files.finishClosing(inode); // not every file system is told of syncfs(2), or tells of each loss
        if (syncFileSystem()) {
            return;
        }
        try {
            forceParent(inode);
        } catch (IOException e) {
            Status status = IoErrors.status(e);
            throw isNotBegun(status) ? new NfsError(status) : e;
        }
    }

    private boolean syncFileSystem() throws IOException {
        return verifier.force(tree::syncFileSystem);
    }

    private void forceParent(Inode inode) throws IOException {
        Inode.Place place = inode.place();
        if (place != null) {
            tree.sync(place.parent());
        }
    }
}
