package io.verbena.nfs.transfer.internal.block;

import io.verbena.nfs.transfer.internal.failure.MountReplacements;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.nfs.transfer.walk.NamedFailures;
import io.verbena.runtime.Runtime;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Moves the content of one file. When a mount is replaced, the copy continues from the first octet that is not yet safe
 * in the sink. A file of the mount is closed and opened again. A file of this host stays open, because a pipe or a
 * stream cannot be read again.
 *
 * <p>A content copy belongs to one thread. An interrupt stops it.
 */
public final class ContentCopy {
    /**
     * The largest number of successive attempts without a single octet of progress. The limit ends a copy that never
     * succeeds.
     */
    private static final int MAX_VAIN_ATTEMPTS = 10;

    /** Opens a file, and opens it again after each replacement of its mount. */
    @FunctionalInterface
    public interface Opener<T> {
        T open() throws IOException;
    }

    /** The source or the sink of the copy. */
    private static final class End<T extends Closeable> {
        private final boolean isRemote;
        private final BooleanSupplier isReachable;
        private final Opener<T> opener;
        private T file;

        End(boolean isRemote, BooleanSupplier isReachable, Opener<T> opener) {
            this.isRemote = isRemote;
            this.isReachable = isReachable;
            this.opener = opener;
        }

        static <T extends Closeable> End<T> of(TreePath location, Opener<T> opener) {
            return new End<>(location.isRemote(), location::isReachable, opener);
        }

        T open() throws IOException {
            if (file == null) {
                file = opener.open();
            }
            return file;
        }

        void close() throws IOException {
            T open = file;
            file = null;
            if (open != null) {
                open.close();
            }
        }

        void closeAfter(Throwable failure) {
            try {
                close();
            } catch (Throwable e) {
                failure.addSuppressed(e);
            }
        }

        void dropAfter(IOException failure) {
            if (isRemote) {
                closeAfter(failure);
            }
        }
    }

    private final BlockPump.Names names;
    private final End<BlockSource> source;
    private final End<BlockSink> sink;
    private final Runtime runtime;
    private final FileRange stretch;
    private final BlockObserver flow;
    private long safe;
    private boolean isResumed;

    /**
     * Creates a copy from a file to a file.
     *
     * @param fromFile opens the source
     * @param toFile opens the target for writing without truncating it
     * @param stretch the range of the file to move
     */
    public ContentCopy(
            Runtime runtime,
            TreePath from,
            Opener<BlockSource> fromFile,
            TreePath to,
            Opener<BlockSink> toFile,
            FileRange stretch,
            BlockObserver flow) {
        this.runtime = runtime;
        this.names = new BlockPump.Names(from.toString(), to.toString());
        this.source = End.of(from, fromFile);
        this.sink = End.of(to, toFile);
        this.stretch = stretch;
        this.flow = flow;
        this.safe = stretch.start();
    }

    /** Creates a copy from a file to a sink that takes blocks in order. */
    public ContentCopy(
            Runtime runtime, PinnedFile from, String to, BlockSink stream, FileRange stretch, BlockObserver flow) {
        this.runtime = runtime;
        this.names = new BlockPump.Names(from.location().toString(), to);
        this.source = End.of(from.location(), from::read);
        this.sink = new End<>(false, () -> true, () -> stream);
        this.stretch = stretch;
        this.flow = flow;
        this.safe = stretch.start();
    }

    /** Creates a copy from a stream to a file. */
    public ContentCopy(
            Runtime runtime,
            String from,
            BlockSource stream,
            TreePath to,
            Opener<BlockSink> toFile,
            BlockObserver flow) {
        this.runtime = runtime;
        this.names = new BlockPump.Names(from, to.toString());
        this.source = new End<>(false, () -> true, () -> stream);
        this.sink = End.of(to, toFile);
        this.stretch = FileRange.WHOLE;
        this.flow = flow;
    }

    /**
     * Moves the whole range.
     *
     * @return the position at which the range ends
     */
    public long run() throws IOException, InterruptedException {
        try {
            int vainAttempts = 0;
            while (true) {
                long before = safe;
                try {
                    return attempt();
                } catch (IOException e) {
                    vainAttempts = safe > before ? 0 : vainAttempts + 1;
                    if (vainAttempts > MAX_VAIN_ATTEMPTS
                            || MountReplacements.of(e).isEmpty()) {
                        throw e;
                    }
                    isResumed = true;
                    sink.dropAfter(e);
                    source.dropAfter(e);
                }
            }
        } catch (Throwable e) {
            sink.closeAfter(e);
            source.closeAfter(e);
            throw e;
        }
    }

    private long attempt() throws IOException, InterruptedException {
        BlockPump pump = new BlockPump(
                runtime,
                source.open(),
                sink.open(),
                names,
                new FileRange(safe, stretch.end(), stretch.holesFrom(), stretch.isLast()),
                flow,
                isResumed);
        try {
            long size = pump.run();
            NamedFailures.run(names.sink(), sink::close); // a small file is created only now
            source.close();
            return size;
        } catch (InterruptedException e) {
            if (!source.isReachable.getAsBoolean() || !sink.isReachable.getAsBoolean()) {
                // With the interrupt set, closing the files does not wait for a server that is gone.
                Thread.currentThread().interrupt();
            }
            throw e;
        } finally {
            safe = pump.safe();
        }
    }
}
