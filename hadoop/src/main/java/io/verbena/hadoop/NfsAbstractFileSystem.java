package io.verbena.hadoop;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The same tree for {@code FileContext}. A {@code FileContext} cannot be closed: its part of the mount ends with the
 * process. Thread safe.
 */
public final class NfsAbstractFileSystem extends DelegateToFileSystem {
    private final NfsFileSystem files;

    /**
     * Creates a file system for {@code FileContext}, which calls this constructor by reflection.
     *
     * @throws IOException as {@link NfsFileSystem#initialize}
     */
    public NfsAbstractFileSystem(URI uri, Configuration configuration) throws IOException, URISyntaxException {
        this(uri, configuration, new NfsFileSystem());
    }

    private NfsAbstractFileSystem(URI uri, Configuration configuration, NfsFileSystem files)
            throws IOException, URISyntaxException {
        super(uri, files, configuration, NfsFileSystem.SCHEME, true);
        this.files = files;
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        checkPath(path);
        return files.listStatusIterator(path);
    }

    @Override
    public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
        checkPath(path);
        return files.listLocatedStatus(path);
    }

    @Override
    public void renameInternal(Path from, Path to) throws IOException {
        renameInternal(from, to, false);
    }

    @Override
    public void renameInternal(Path from, Path to, boolean overwrite) throws IOException {
        checkPath(from);
        checkPath(to);
        files.rename(from, to, overwrite);
    }

    @Override
    public Path getEnclosingRoot(Path path) throws IOException {
        checkPath(path);
        return files.getEnclosingRoot(path);
    }
}
