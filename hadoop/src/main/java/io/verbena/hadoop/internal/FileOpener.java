package io.verbena.hadoop.internal;

import io.verbena.hadoop.internal.stream.Checksums;
import io.verbena.hadoop.internal.stream.NfsInputStream;
import io.verbena.hadoop.internal.stream.NfsOutputStream;
import io.verbena.hadoop.internal.stream.ReadPolicy;
import io.verbena.hadoop.internal.tree.Failures;
import io.verbena.hadoop.internal.tree.RemoteTree;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Opens files of a mount as streams. Paths are qualified and absolute. Thread safe. */
public final class FileOpener {
    /** In place of the permissions of missing parents: they are not created. */
    public static final int NO_PARENTS = -1;

    private static final int PERMISSIONS = 0_777;

    private final Mount mount;
    private final RemoteTree tree;
    private final Figures figures;
    private final Supplier<FileSystem.Statistics> statistics;
    private final Set<NfsOutputStream> writing = ConcurrentHashMap.newKeySet();

    /** @param statistics those of the file system at the time of an open */
    public FileOpener(Mount mount, RemoteTree tree, Figures figures, Supplier<FileSystem.Statistics> statistics) {
        this.mount = mount;
        this.tree = tree;
        this.figures = figures;
        this.statistics = statistics;
    }

    /**
     * Opens a file to read.
     *
     * @param size in octets as far as it is known, or -1
     * @throws FileNotFoundException if there is no file, or a directory
     */
    public NfsInputStream open(Path path, ReadPolicy policy, long size) throws IOException {
        return new NfsInputStream(openToRead(path), path, policy, size, statistics.get(), figures.aggregator());
    }

    private RemoteFile openToRead(Path path) throws IOException {
        try {
            return mount.open(RemoteTree.name(path), Set.of(StandardOpenOption.READ), 0);
        } catch (IOException e) {
            throw refused(path, e);
        }
    }

    private IOException refused(Path path, IOException failure) {
        if (!(failure instanceof NoSuchFileException) && isDirectory(path)) {
            FileNotFoundException refused = new FileNotFoundException(path + " is a directory");
            refused.initCause(failure);
            return refused;
        }
        return Failures.of(path, failure);
    }

    private boolean isDirectory(Path path) {
        try {
            return tree.attributes(path).isDirectory();
        } catch (IOException e) {
            return false; // the failure of the open is the one that counts
        }
    }

    /**
     * Creates a file, or empties one.
     *
     * @param overwrite whether an existing file is emptied; else it is refused
     * @param ofParents the permissions of parents that do not exist, or {@link #NO_PARENTS}
     */
    public NfsOutputStream create(Path path, int permissions, boolean overwrite, int ofParents) throws IOException {
        Set<StandardOpenOption> options = overwrite
                ? Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)
                : Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        try {
            return written(path, create(path, options, permissions & PERMISSIONS, ofParents));
        } catch (IOException e) {
            if (!(e instanceof NoSuchFileException) && isDirectory(path)) {
                FileAlreadyExistsException refused =
                        new FileAlreadyExistsException(path + " exists, and is a directory");
                refused.initCause(e);
                throw refused;
            }
            throw Failures.ofNew(path, e);
        }
    }

    private RemoteFile create(Path path, Set<StandardOpenOption> options, int mode, int ofParents) throws IOException {
        try {
            return mount.open(RemoteTree.name(path), options, mode);
        } catch (NoSuchFileException e) {
            if (ofParents == NO_PARENTS || path.isRoot()) {
                throw e;
            }
            tree.createDirectories(path.getParent(), ofParents);
            return mount.open(RemoteTree.name(path), options, mode);
        }
    }

    private NfsOutputStream written(Path path, RemoteFile file) {
        NfsOutputStream stream =
                new NfsOutputStream(file, path, statistics.get(), figures.aggregator(), writing::remove);
        writing.add(stream);
        return stream;
    }

    /**
     * Closes the streams that are being written, so that nothing that was written to them is lost.
     *
     * @throws IOException the first failure; the other streams are closed all the same
     */
    public void closeWritten() throws IOException {
        IOException first = null;
        for (NfsOutputStream each : writing) {
            try {
                each.close();
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * A stream that appends.
     *
     * @param stream where to write
     * @param position the size of the file when it was opened
     */
    public record Appending(NfsOutputStream stream, long position) {}

    /** Opens an existing file to append. */
    public Appending append(Path path) throws IOException {
        RemoteFile file;
        try {
            file = mount.open(RemoteTree.name(path), Set.of(StandardOpenOption.WRITE, StandardOpenOption.APPEND), 0);
        } catch (IOException e) {
            throw refused(path, e);
        }
        FileAttributes attributes = null;
        try {
            attributes = file.attributes();
            return new Appending(written(path, file), attributes.size());
        } catch (IOException e) {
            throw Failures.of(path, e);
        } finally {
            if (attributes == null) {
                file.close();
            }
        }
    }

    /** Reads a file to compute its checksum; see {@link Checksums#of}. */
    public FileChecksum checksum(Path path, long length, boolean isCastagnoli) throws IOException {
        try (RemoteFile file = openToRead(path)) {
            return Checksums.of(file, length, isCastagnoli);
        } catch (IOException e) {
            throw Failures.of(path, e);
        }
    }
}
