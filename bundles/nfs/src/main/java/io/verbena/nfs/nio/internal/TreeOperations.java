package io.verbena.nfs.nio.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.nio.internal.directory.NfsDirectoryStream;
import io.verbena.nfs.nio.internal.file.OpenOptions;
import io.verbena.nfs.nio.internal.path.NameChanges;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates, copies and moves files, directories and links. */
final class TreeOperations {
    private static final Logger LOG = LoggerFactory.getLogger(TreeOperations.class);
    private static final int PERMISSIONS = 07777;

    private TreeOperations() {}

    /** Refuses to create an object at a path that ends with no name, like {@code /}, and that exists. */
    static void requireNamed(NfsPath path) throws IOException {
        if (!path.isNamed() && path.system().exists(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
    }

    static void createDirectory(NfsPath directory, int mode) throws IOException {
        requireNamed(directory);
        NameChanges.createDirectory(directory, mode);
    }

    static void createSymbolicLink(NfsPath link, NfsPath target) throws IOException {
        requireNamed(link);
        NameChanges.createSymbolicLink(link, target.toString());
    }

    static void createLink(NfsPath link, NfsPath existing) throws IOException {
        requireNamed(link);
        NameChanges.createLink(link, existing);
    }

    private static boolean isSame(FileAttributes one, FileAttributes other) {
        return FileKey.of(one).equals(FileKey.of(other));
    }

    static boolean isSameFile(NfsPath one, NfsPath other) throws IOException {
        if (one.equals(other)) {
            return true;
        }
        return one.system() == other.system()
                && isSame(one.system().attributes(one, true), other.system().attributes(other, true));
    }

    /** Deletes an existing target that is to be replaced, unless a rename replaces it. */
    private static void makeWay(NfsPath source, FileAttributes from, NfsPath target, boolean replaces)
            throws IOException {
        if (!target.system().exists(target)) {
            return;
        }
        if (!replaces) {
            throw new FileAlreadyExistsException(target.toString());
        }
        FileAttributes to = target.system().attributes(target, false);
        boolean renameReplaces = source.system() == target.system() && !from.isDirectory() && !to.isDirectory();
        if (!renameReplaces) {
            try {
                target.system().delete(target);
            } catch (NoSuchFileException e) {
                // another client was faster
            }
        }
    }

    static void move(NfsPath source, NfsPath target, NioCopyOptions options) throws IOException {
        boolean within = source.system() == target.system();
        if (options.atomic() && !within) {
            throw new AtomicMoveNotSupportedException(
                    source.toString(), target.toString(), "they are on different mounts");
        }
        FileAttributes from = source.system().attributes(source, false);
        if (!options.atomic()) {
            if (within
                    && target.system().exists(target)
                    && isSame(from, target.system().attributes(target, false))) {
                return;
            }
            makeWay(source, from, target, options.replaces());
        }
        if (within && rename(source, from, target, options.atomic())) {
            return;
        }
        if (from.isDirectory() && !isEmpty(source)) {
            throw new DirectoryNotEmptyException(source.toString());
        }
        copyTo(source, from, target, true, true);
        source.system().delete(source);
    }

    /**
     * Renames. Returns false if source and target are on different file systems of the server: the caller copies
     * instead.
     */
    private static boolean rename(NfsPath source, FileAttributes from, NfsPath target, boolean atomic)
            throws IOException {
        try {
            NameChanges.rename(source, from, target);
            return true;
        } catch (NfsException e) {
            if (!e.status().equals("NFS4ERR_XDEV")) {
                throw e;
            }
            if (atomic) {
                AtomicMoveNotSupportedException refused = new AtomicMoveNotSupportedException(
                        source.toString(), target.toString(), "they are on different file systems of the server");
                refused.initCause(e);
                throw refused;
            }
            return false;
        }
    }

    private static boolean isEmpty(NfsPath directory) throws IOException {
        try (DirectoryStream<Path> entries = new NfsDirectoryStream(directory, path -> true)) {
            return !entries.iterator().hasNext();
        }
    }

    static void copy(NfsPath source, NfsPath target, NioCopyOptions options) throws IOException {
        if (options.atomic()) {
            // as Files.copy specifies for an option that is not for copies
            throw new UnsupportedOperationException("a copy cannot be made by ATOMIC_MOVE");
        }
        FileAttributes from = source.system().attributes(source, options.follows());
        boolean within = source.system() == target.system();
        if (within
                && target.system().exists(target)
                && isSame(from, target.system().attributes(target, false))) {
            return;
        }
        if (target.system().exists(target)) {
            if (!options.replaces()) {
                throw new FileAlreadyExistsException(target.toString());
            }
            target.system().deleteIfExists(target);
        }
        copyTo(source, from, target, options.copiesAttributes(), false);
    }

    /** Copies to a path where nothing exists. If that fails, nothing is left there. */
    private static void copyTo(
            NfsPath source, FileAttributes from, NfsPath target, boolean withAttributes, boolean moves)
            throws IOException {
        if (from.isSymbolicLink()) {
            createSymbolicLink(
                    target, NfsPath.parse(target.system(), source.system().readLink(source)));
            if (withAttributes) {
                copyAttributesOfLink(from, target);
            }
            return;
        }
        int mode = from.mode() & PERMISSIONS;
        if (from.isDirectory()) {
            createDirectory(target, mode);
        } else if (from.isRegularFile()) {
            copyContent(source, target, mode);
        } else {
            throw new FileSystemException(source.toString(), target.toString(), "it is neither a file nor a directory");
        }
        if (withAttributes) {
            try {
                copyAttributes(from, target);
            } catch (Throwable e) {
                if (moves || from.isRegularFile()) {
                    deleteAfter(target, e);
                }
                throw e;
            }
        }
    }

    private static void copyContent(NfsPath source, NfsPath target, int mode) throws IOException {
        OpenOptions toRead = OpenOptions.of(Set.of(StandardOpenOption.READ));
        OpenOptions toWrite = OpenOptions.of(Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        try (FileChannel from = NfsFileSystem.of(source).open(source, toRead, 0, true)) {
            FileChannel to = NfsFileSystem.of(target).open(target, toWrite, mode, true);
            try (to) {
                ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
                while (from.read(buffer.clear()) >= 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        int unused = to.write(buffer);
                    }
                }
            } catch (Throwable e) {
                deleteAfter(target, e);
                throw e;
            }
        }
    }

    private static void deleteAfter(NfsPath target, Throwable failure) {
        try {
            target.system().deleteIfExists(target);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Copies attributes. A user who may not change the owner stays the copy's owner, as with cp -p. */
    private static void copyAttributes(FileAttributes from, NfsPath target) throws IOException {
        giveAway(from, target, true);
        AttributeChanges kept =
                AttributeChanges.NONE.withMode(from.mode() & PERMISSIONS).withTimes(from.accessed(), from.modified());
        target.system().setAttributes(target, kept, true);
    }

    private static void giveAway(FileAttributes from, NfsPath target, boolean follows) throws IOException {
        AttributeChanges owner = AttributeChanges.NONE.withOwner(from.owner()).withGroup(from.group());
        try {
            target.system().setAttributes(target, owner, follows);
        } catch (FileSystemException e) {
            if (e instanceof NoSuchFileException) {
                throw e;
            }
        }
    }

    /** Copies attributes of a link as far as the server keeps them; the link itself has been copied already. */
    private static void copyAttributesOfLink(FileAttributes from, NfsPath target) throws IOException {
        giveAway(from, target, false);
        try {
            target.system()
                    .setAttributes(target, AttributeChanges.NONE.withTimes(from.accessed(), from.modified()), false);
        } catch (NfsException e) {
            LOG.debug("{}: the link was copied without its times: {}", target, e.getReason());
        }
    }
}
