package io.verbena.nfs.transfer.internal.block;

import io.verbena.nfs.transfer.internal.failure.FileChangedException;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;

/**
 * A file that is opened several times and must be the same file each time. A path can lead to another file after a
 * rename or after the replacement of a mount. Files of this host are not compared, because they stay open. Thread safe.
 */
public final class PinnedFile {
    private final TreePath location;
    private final String failure;
    private final BiPredicate<FileVersion, FileVersion> test;
    private final AtomicReference<FileVersion> first = new AtomicReference<>();
    private volatile boolean isWhole;
    private volatile boolean isUndecided;

    private PinnedFile(TreePath location, String failure, BiPredicate<FileVersion, FileVersion> test) {
        this.location = location;
        this.failure = failure;
        this.test = test;
    }

    /** Returns a file to copy. Its content must not change between two openings. */
    public static PinnedFile copied(TreePath location) {
        return new PinnedFile(
                location, "was changed or replaced while it was copied; copy it again", FileVersion::isSameContent);
    }

    /** Returns a file to read, as {@link #copied} does. Its failures do not mention a copy. */
    public static PinnedFile read(TreePath location) {
        return new PinnedFile(location, "was changed or replaced while it was read", FileVersion::isSameContent);
    }

    /** Returns a file that this object opens for writing. */
    public static PinnedFile written(TreePath location) {
        return new PinnedFile(
                location,
                "its temporary file was replaced while it was copied; copy it again",
                FileVersion::isSameFile);
    }

    public TreePath location() {
        return location;
    }

    /**
     * Returns the version of the file when it was first opened; empty if it is not yet opened or is a file of this
     * host.
     */
    public Optional<FileVersion> first() {
        return Optional.ofNullable(first.get());
    }

    /** Opens the file for reading. */
    public BlockSource read() throws IOException {
        return opened(location.read());
    }

    private BlockSource opened(BlockSource source) throws IOException {
        return checked(source, source.version());
    }

    /**
     * Opens the file for writing.
     *
     * @param isNew whether the file is created; otherwise it must exist
     */
    public BlockSink write(boolean isNew) throws IOException {
        BlockSink sink = location.write(isNew);
        return checked(sink, sink.version());
    }

    private <T extends Closeable> T checked(T file, Optional<FileVersion> version) throws IOException {
        try {
            check(version);
            return file;
        } catch (IOException e) {
            try {
                file.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /**
     * Opens a small file for reading. If the file is read as a whole at once, {@link #whole} tells its version.
     *
     * @param size the expected size in octets
     */
    public BlockSource readWhole(int size) throws IOException {
        BlockSource source = opened(location.readWhole(size));
        isWhole = source.isWhole();
        return source;
    }

    /**
     * Returns the version of the file that was read as a whole, unchanged meanwhile; empty if the file was read in
     * parts.
     */
    public Optional<FileVersion> whole() {
        return isWhole ? first() : Optional.empty();
    }

    /** Returns a sink that creates a small file when it is closed: see {@link TreePath#writeWhole}. */
    public BlockSink writeWhole(int mode, Instant modified) throws IOException {
        return location.writeWhole(mode, modified, version -> {
            isUndecided = version.isEmpty();
            version.ifPresent(first::set);
        });
    }

    /** Returns whether the server may create the file later: the request of {@link #writeWhole} was given up. */
    public boolean isUndecided() {
        return isUndecided;
    }

    /** Throws if the version is of another file than the first version. */
    public void check(Optional<FileVersion> version) throws IOException {
        if (version.isPresent() && !isAsBefore(version.get())) {
            String message = location + ": " + failure;
            throw version.get().hasSizeAndTimeOf(first.get())
                    ? new IOException(message)
                    : new FileChangedException(message);
        }
    }

    private boolean isAsBefore(FileVersion version) {
        FileVersion known = first.compareAndExchange(null, version);
        return known == null || test.test(known, version);
    }

    /** Returns whether the path now certainly leads to another file or to no file. */
    public boolean isGone() throws IOException {
        FileVersion known = first.get();
        return known != null && location.version().filter(known::isSameFile).isEmpty();
    }
}
