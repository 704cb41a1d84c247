package io.verbena.hadoop.internal.tree;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renames by the rules of Hadoop. RENAME of NFS is atomic, and replaces a file or an empty directory. */
final class Renaming {
    private static final Logger LOG = LoggerFactory.getLogger(Renaming.class);

    private final Mount mount;
    private final RemoteTree tree;

    Renaming(Mount mount, RemoteTree tree) {
        this.mount = mount;
        this.tree = tree;
    }

    /**
     * Renames as {@code FileSystem.rename} of HDFS does: into a directory that exists, and over nothing. The check for
     * an existing file is a request of its own, before RENAME.
     *
     * @return false if the source does not exist, a file is at the target, or nothing can be there
     */
    boolean rename(Path from, Path to) throws IOException {
        FileAttributes source = tree.ownAttributes(from).orElse(null);
        if (source == null || from.isRoot()) {
            return false;
        }
        if (from.equals(to)) {
            return !source.isDirectory();
        }
        Path target = to;
        FileAttributes present = existing(target);
        if (present != null && present.isDirectory()) {
            target = new Path(to, from.getName());
            present = existing(target);
        }
        if (present != null || isWithin(target, from)) {
            return from.equals(target) && !source.isDirectory();
        }
        try {
            mount.rename(RemoteTree.name(from), RemoteTree.name(target));
            return true;
        } catch (NoSuchFileException | NotDirectoryException | DirectoryNotEmptyException e) {
            LOG.debug("{} is not renamed to {}: {}", from, target, e.toString());
            return false;
        } catch (IOException e) {
            throw about(from, target, e);
        }
    }

    /**
     * Renames as {@code FileContext.rename} does. With {@code overwrite}, RENAME replaces what is there, atomically.
     * Without it, a file takes its new name by a hard link, which fails if somebody else has taken the name, and loses
     * its old name then. If somebody else was faster to take that one away, or this user may not, the new one goes
     * again.
     */
    void rename(Path from, Path to, boolean overwrite) throws IOException {
        FileAttributes source =
                tree.ownAttributes(from).orElseThrow(() -> new FileNotFoundException(from + " does not exist"));
        FileAttributes present = existing(to);
        if (from.equals(to)) {
            throw new FileAlreadyExistsException("The source " + from + " and the target are the same");
        }
        if (present == null) {
            requireDirectory(to.getParent());
        } else {
            requireReplaceable(source, from, present, to, overwrite);
        }
        if (isWithin(to, from)) {
            throw new PathIOException(from.toString(), "cannot be renamed to " + to + ", which lies in it");
        }
        try {
            if (overwrite || !source.isRegularFile()) {
                mount.rename(RemoteTree.name(from), RemoteTree.name(to));
            } else {
                takeName(source, from, to);
            }
        } catch (IOException e) {
            throw about(from, to, e);
        }
    }

    private void takeName(FileAttributes source, Path from, Path to) throws IOException {
        try {
            mount.createLink(RemoteTree.name(to), RemoteTree.name(from));
        } catch (IOException e) {
            if (!Failures.hasStatus(e, "NFS4ERR_NOTSUPP") && !Failures.hasStatus(e, "NFS4ERR_MLINK")) {
                throw e;
            }
            LOG.debug("{}: the server makes no hard link: {}", from, e.toString());
            mount.rename(RemoteTree.name(from), RemoteTree.name(to));
            return;
        }
        try {
            mount.remove(RemoteTree.name(from));
        } catch (NoSuchFileException e) {
            giveUpName(source, to);
            throw e;
        } catch (FileSystemException e) {
            if (isAt(from, source)) { // it may not be removed there: it keeps its old name alone
                giveUpName(source, to);
            }
            throw e;
        }
    }

    private boolean isAt(Path path, FileAttributes source) {
        try {
            return isSame(mount.attributes(RemoteTree.name(path), false), source);
        } catch (IOException e) {
            LOG.debug("whether {} is there is not known: {}", path, e.toString());
            return false;
        }
    }

    private static boolean isSame(FileAttributes one, FileAttributes other) {
        return one.fileId() == other.fileId()
                && one.fileSystemMajor() == other.fileSystemMajor()
                && one.fileSystemMinor() == other.fileSystemMinor();
    }

    private void giveUpName(FileAttributes source, Path to) {
        try {
            if (isSame(mount.attributes(RemoteTree.name(to), false), source)) {
                mount.remove(RemoteTree.name(to));
            }
        } catch (IOException e) {
            LOG.warn("{} may be left, a further name of a file that is renamed: {}", to, e.toString());
        }
    }

    private void requireReplaceable(
            FileAttributes source, Path from, FileAttributes present, Path to, boolean overwrite) throws IOException {
        if (source.isDirectory() != present.isDirectory()) {
            throw new PathIOException(
                    from.toString(), "and " + to + " have to be both files or both directories, to be renamed");
        }
        if (!overwrite) {
            throw new FileAlreadyExistsException(to + " exists");
        }
        if (present.isDirectory() && mount.names(RemoteTree.name(to)).iterator().hasNext()) {
            throw new PathIOException(to.toString(), "is a directory that is not empty, and cannot be replaced");
        }
    }

    private void requireDirectory(Path parent) throws IOException {
        if (!tree.attributes(parent).isDirectory()) {
            throw new ParentNotDirectoryException(parent + " is no directory");
        }
    }

    private FileAttributes existing(Path path) throws IOException {
        try {
            return tree.attributes(path);
        } catch (FileNotFoundException e) {
            return null;
        }
    }

    private static boolean isWithin(Path path, Path ancestor) {
        for (Path at = path; at != null; at = at.getParent()) {
            if (at.equals(ancestor)) {
                return true;
            }
        }
        return false;
    }

    private static IOException about(Path from, Path to, IOException failure) {
        if (failure instanceof java.nio.file.FileAlreadyExistsException
                || failure instanceof DirectoryNotEmptyException) {
            return Failures.of(to, failure);
        }
        if (Failures.hasStatus(failure, "NFS4ERR_XDEV")) {
            return new PathIOException(
                    from.toString(),
                    "cannot be renamed to " + to + ": they are on different file systems of the server; copy instead",
                    failure);
        }
        return Failures.of(from, failure);
    }
}
