package io.verbena.nfs.nio.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.NfsException;
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

/** Makes, copies and moves. */
final class Changes {
    private static final Logger LOG = LoggerFactory.getLogger(Changes.class);
    private static final int PERMISSIONS = 07777;

    private Changes() {}

    static boolean isThere(Mount mount, String path) throws IOException {
        try {
            return mount.attributes(path, false) != null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Where a path ends with no name of its own, as {@code /} does, nothing can be made: what it leads to is there. */
    static void requireNamed(NfsPath path) throws IOException {
        if (!path.isNamed() && path.system().exists(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
    }

    static void createDirectory(NfsPath directory, int mode) throws IOException {
        requireNamed(directory);
        String at = directory.remote();
        directory
                .system()
                .remote()
                .change(
                        directory,
                        null,
                        mount -> mount.createDirectory(at, mode),
                        mount -> isThere(mount, at)
                                && mount.attributes(at, false).isDirectory());
    }

    static void createSymbolicLink(NfsPath link, NfsPath target) throws IOException {
        requireNamed(link);
        String at = link.remote();
        String held = target.toString();
        link.system()
                .remote()
                .change(
                        link,
                        null,
                        mount -> mount.createSymbolicLink(at, held),
                        mount -> isThere(mount, at) && mount.readLink(at).equals(held));
    }

    static void createLink(NfsPath link, NfsPath existing) throws IOException {
        requireNamed(link);
        String at = link.remote();
        String from = existing.remote();
        link.system()
                .remote()
                .change(
                        link,
                        null,
                        mount -> mount.createLink(at, from),
                        mount -> isThere(mount, at)
                                && isSame(mount.attributes(at, false), mount.attributes(from, false)));
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

    /** What is where something shall be put, or null; it has made way where it was to be replaced. */
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
                // somebody was faster
            }
        }
    }

    static void move(NfsPath source, NfsPath target, Options.Copy options) throws IOException {
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

    /** False where source and target are on different file systems of the server, and it is to be copied. */
    private static boolean rename(NfsPath source, FileAttributes from, NfsPath target, boolean atomic)
            throws IOException {
        NfsFileSystem system = source.system();
        String at = source.remote();
        String to = target.remote();
        try {
            system.remote()
                    .change(
                            source,
                            target,
                            mount -> mount.rename(at, to),
                            mount -> !isThere(mount, at)
                                    && isThere(mount, to)
                                    && isSame(from, mount.attributes(to, false)));
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

    static void copy(NfsPath source, NfsPath target, Options.Copy options) throws IOException {
        if (options.atomic()) {
            // as Files.copy has it for an option that is not for copies
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

    /** To where there is nothing; where it fails, nothing is left there. */
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
            } catch (IOException | RuntimeException e) {
                if (moves || from.isRegularFile()) {
                    deleteAfter(target, e);
                }
                throw e;
            }
        }
    }

    private static void copyContent(NfsPath source, NfsPath target, int mode) throws IOException {
        Options.Open toRead = Options.open(Set.of(StandardOpenOption.READ));
        Options.Open toWrite = Options.open(Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
        NfsFileSystemProvider provider = source.system().provider();
        try (FileChannel from = provider.open(source, toRead, 0, true)) {
            FileChannel to = target.system().provider().open(target, toWrite, mode, true);
            try (to) {
                ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
                while (from.read(buffer.clear()) >= 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        int unused = to.write(buffer);
                    }
                }
            } catch (IOException | RuntimeException e) {
                deleteAfter(target, e);
                throw e;
            }
        }
    }

    private static void deleteAfter(NfsPath target, Exception failure) {
        try {
            target.system().deleteIfExists(target);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Only some may give files away: who may not keeps the copy, as it is with cp -p. */
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

    /** Not every server keeps attributes of links: the link is what was to be copied. */
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
