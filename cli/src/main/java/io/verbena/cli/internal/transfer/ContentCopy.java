package io.verbena.cli.internal.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Moves the content of one file, and goes on where it was when a mount has been replaced under it: from the first octet
 * that is not safe in the sink. Of what is on a mount the file is closed then and opened again; what is on this host stays
 * open, since a pipe or a stream cannot be begun anew.
 *
 * <p>Belongs to one thread, which an interrupt stops.
 */
final class ContentCopy {
    /** Only so often in a row without an octet more, so that a copy that never succeeds ends. */
    private static final int MAX_VAIN_ATTEMPTS = 10;

    /** Opens a file, once more after each replacement of its mount. */
    @FunctionalInterface
    interface Opener<T> {
        T open() throws IOException;
    }

    /** One of the two files. */
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

        static <T extends Closeable> End<T> of(Location location, Opener<T> opener) {
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

        void closeAfter(Exception failure) {
            try {
                close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }

        void dropAfter(IOException failure) {
            if (isRemote) {
                closeAfter(failure);
            }
        }
    }

    private final BufferPool pool;
    private final BlockPump.Names names;
    private final End<BlockSource> source;
    private final End<BlockSink> sink;
    private final Stretch stretch;
    private final Flow flow;
    private long safe;
    private boolean isResumed;

    /**
     * To a file.
     *
     * @param toFile opens it for writing, and must not shorten it
     * @param stretch what of it is moved
     */
    ContentCopy(BufferPool pool, PinnedFile from, Location to, Opener<BlockSink> toFile, Stretch stretch, Flow flow) {
        this.pool = pool;
        this.names = new BlockPump.Names(from.location().toString(), to.toString());
        this.source = End.of(from.location(), from::read);
        this.sink = End.of(to, toFile);
        this.stretch = stretch;
        this.flow = flow;
        this.safe = stretch.start();
    }

    /** To what takes blocks in order. */
    ContentCopy(BufferPool pool, PinnedFile from, String to, BlockSink stream, Stretch stretch, Flow flow) {
        this.pool = pool;
        this.names = new BlockPump.Names(from.location().toString(), to);
        this.source = End.of(from.location(), from::read);
        this.sink = new End<>(false, () -> true, () -> stream);
        this.stretch = stretch;
        this.flow = flow;
        this.safe = stretch.start();
    }

    /** From a stream to a file. */
    ContentCopy(BufferPool pool, String from, BlockSource stream, Location to, Opener<BlockSink> toFile, Flow flow) {
        this.pool = pool;
        this.names = new BlockPump.Names(from, to.toString());
        this.source = new End<>(false, () -> true, () -> stream);
        this.sink = End.of(to, toFile);
        this.stretch = Stretch.WHOLE;
        this.flow = flow;
    }

    /** Moves all of it, and returns where it ends. */
    long run() throws IOException, InterruptedException {
        try {
            int vainAttempts = 0;
            while (true) {
                long before = safe;
                try {
                    return attempt();
                } catch (IOException e) {
                    vainAttempts = safe > before ? 0 : vainAttempts + 1;
                    if (vainAttempts > MAX_VAIN_ATTEMPTS
                            || ReplaceableMount.replacement(e).isEmpty()) {
                        throw e;
                    }
                    isResumed = true;
                    sink.dropAfter(e);
                    source.dropAfter(e);
                }
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            sink.closeAfter(e);
            source.closeAfter(e);
            throw e;
        }
    }

    private long attempt() throws IOException, InterruptedException {
        BlockPump pump = new BlockPump(
                pool,
                source.open(),
                sink.open(),
                names,
                new Stretch(safe, stretch.end(), stretch.holesFrom(), stretch.isLast()),
                flow,
                isResumed);
        try {
            long size = pump.run();
            sink.close();
            source.close();
            return size;
        } catch (InterruptedException e) {
            if (!source.isReachable.getAsBoolean() || !sink.isReachable.getAsBoolean()) {
                // so that to close the files does not wait for a server that has gone
                Thread.currentThread().interrupt();
            }
            throw e;
        } finally {
            safe = pump.safe();
        }
    }
}
