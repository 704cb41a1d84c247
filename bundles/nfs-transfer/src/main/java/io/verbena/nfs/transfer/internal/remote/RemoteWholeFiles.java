package io.verbena.nfs.transfer.internal.remote;

import io.verbena.memory.BufferLease;
import io.verbena.memory.MemoryShare;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileRead;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs.transfer.internal.failure.FailureKind;
import io.verbena.nfs.transfer.internal.failure.FileChangedException;
import io.verbena.nfs.transfer.internal.failure.Futures;
import io.verbena.nfs.transfer.internal.failure.MountReplacements;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FileTree;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Reads and creates small files of a mount by one request each. Runs on the calling thread, which waits. */
final class RemoteWholeFiles {
    /** How often a session may be lost with the reply that tells whether the file was made. */
    private static final int MOST_DOUBTS = 5;

    /**
     * The time for which an interrupted thread waits for an answer, before it gives the request up. A server that
     * responds answers within this time, and no doubt remains.
     */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private RemoteWholeFiles() {}

    /**
     * Reads a file of an expected size.
     *
     * @param directory the directory that holds the file as it was seen; null for whatever the path leads to
     * @return null if there is no memory now, or the file is not read as a whole, as after a change
     */
    static BlockSource read(Mount mount, String path, FileKey directory, int size, Runtime runtime) throws IOException {
        BufferLease lease = mount.memory().tryLease(Math.max(1, size));
        if (lease == null) {
            return null;
        }
        Lent lent = new Lent(lease);
        boolean isTaken = false;
        try {
            ByteBuffer buffer = lease.buffer().slice(0, Math.max(1, size));
            FileRead read = lent.await(
                    directory == null
                            ? mount.readFileAsync(path, buffer)
                            : mount.readFileAsync(path, directory, buffer),
                    runtime);
            if (!read.isWhole()) {
                return null;
            }
            BlockSource source = new Source(mount, lease, buffer.flip(), FileVersion.of(mount, read.before()));
            isTaken = true;
            return source;
        } finally {
            if (!isTaken) {
                lent.close();
            }
        }
    }

    /** A lease that a request uses. The end of a request that is given up closes it. Belongs to one thread. */
    private static final class Lent {
        private BufferLease lease;

        /** @param lease null for none */
        Lent(BufferLease lease) {
            this.lease = lease;
        }

        /**
         * Waits for a request. After an interrupt the answer is returned if it comes soon; otherwise the request is
         * given up.
         */
        <T> T await(CompletableFuture<T> request, Runtime runtime) throws IOException {
            try {
                return answer(request, runtime, Long.MAX_VALUE); // the options of the mount limit its duration
            } catch (InterruptedException e) {
                return awaitInterrupted(request, runtime, e);
            } catch (TimeoutException e) {
                throw new IllegalStateException(e); // after 292 years
            }
        }

        private <T> T awaitInterrupted(CompletableFuture<T> request, Runtime runtime, InterruptedException interrupt)
                throws IOException {
            boolean isAnswered = false;
            try {
                T value = answer(request, runtime, GRACE_NANOS);
                isAnswered = true;
                return value;
            } catch (InterruptedException | TimeoutException e) {
                InterruptedIOException interrupted = new InterruptedIOException("interrupted");
                interrupted.initCause(interrupt);
                throw interrupted;
            } finally {
                if (!isAnswered && !request.isDone()) {
                    giveUp(request);
                }
                Thread.currentThread().interrupt();
            }
        }

        private void giveUp(CompletableFuture<?> request) {
            BufferLease used = lease;
            lease = null;
            if (used != null) {
                Futures.whenOver(request, used::close);
            }
            request.cancel(false);
        }

        void close() {
            BufferLease last = lease;
            lease = null;
            if (last != null) {
                last.close();
            }
        }
    }

    private static <T> T answer(CompletableFuture<T> request, Runtime runtime, long nanos)
            throws IOException, InterruptedException, TimeoutException {
        try {
            return runtime.await(request, nanos);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof IOException io ? io : new IOException(cause.toString(), cause);
        }
    }

    /**
     * Returns a sink that creates a file when it is closed, after {@link BlockSink#finish}. Without that nothing is
     * created.
     *
     * @param path a name that only this copy knows
     * @param made receives the version of the file, or nothing: see {@link FileTree#writeWhole}
     */
    static BlockSink write(
            MountSequence mounts,
            SeenDirectories seen,
            String path,
            AttributeChanges attributes,
            Consumer<Optional<FileVersion>> made,
            Runtime runtime) {
        return new Sink(mounts, seen, path, attributes, made, runtime);
    }

    /** A file that was read as a whole. */
    private record Source(Mount mount, BufferLease lease, ByteBuffer content, FileVersion opened)
            implements BlockSource {
        @Override
        public long size() {
            return content.limit();
        }

        @Override
        public Optional<FileVersion> version() {
            return Optional.of(opened);
        }

        @Override
        public boolean isWhole() {
            return true;
        }

        @Override
        public Optional<MemoryShare> memory() throws IOException {
            return Optional.of(mount.memory());
        }

        @Override
        public boolean isAsynchronous() {
            return false;
        }

        @Override
        public CompletableFuture<Integer> read(ByteBuffer destination, long position) {
            int length = (int) Math.min(destination.remaining(), size() - position);
            if (length <= 0) {
                return CompletableFuture.completedFuture(-1);
            }
            destination.put(content.slice((int) position, length));
            return CompletableFuture.completedFuture(length);
        }

        @Override
        public void close() {
            lease.close();
        }
    }

    /** A file that is created with its whole content and attributes. */
    private static final class Sink implements BlockSink {
        private final MountSequence mounts;
        private final SeenDirectories seen;
        private final String path;
        private final AttributeChanges attributes;
        private final Consumer<Optional<FileVersion>> made;
        private final Runtime runtime;
        private ByteBuffer content = NOTHING;
        private BufferLease lease;
        private boolean isFinished;

        Sink(
                MountSequence mounts,
                SeenDirectories seen,
                String path,
                AttributeChanges attributes,
                Consumer<Optional<FileVersion>> made,
                Runtime runtime) {
            this.mounts = mounts;
            this.seen = seen;
            this.path = path;
            this.attributes = attributes;
            this.made = made;
            this.runtime = runtime;
        }

        @Override
        public boolean canHaveHoles() {
            return false;
        }

        @Override
        public boolean keepsWrites() {
            return false; // nothing is written before the end
        }

        @Override
        public Optional<MemoryShare> memory() throws IOException {
            return Optional.of(mounts.now().memory());
        }

        @Override
        public CompletableFuture<Void> write(ByteBuffer source, long position) throws IOException {
            requireFirst(position);
            content = ByteBuffer.allocate(source.remaining()).put(source).flip();
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> write(BufferLease block, long position) throws IOException {
            boolean isTaken = false;
            try {
                requireFirst(position);
                content = block.buffer();
                lease = block;
                isTaken = true;
                return CompletableFuture.completedFuture(null);
            } finally {
                if (!isTaken) {
                    block.close();
                }
            }
        }

        /** Throws unless the block is the only one, as for a file that has become larger since it was listed. */
        private void requireFirst(long position) throws IOException {
            if (position != 0 || content.hasRemaining()) {
                throw new FileChangedException("became larger while it was copied; copy it again");
            }
        }

        @Override
        public boolean isWhole() {
            return true;
        }

        @Override
        public void checkpoint() {
            // Nothing is written before the end.
        }

        @Override
        public void finish(long size) throws IOException {
            if (size != content.remaining()) {
                throw new FileChangedException("changed while it was copied; copy it again");
            }
            isFinished = true;
        }

        @Override
        public void close() throws IOException {
            Lent lent = new Lent(lease);
            lease = null;
            boolean isDue = isFinished;
            isFinished = false;
            try {
                if (isDue) {
                    made.accept(Optional.of(mounts.call(on -> FileVersion.of(on, create(on, lent)))));
                }
            } catch (IOException e) {
                if (isUndecided(e)) {
                    made.accept(Optional.empty());
                }
                throw e;
            } finally {
                lent.close();
            }
        }

        private static boolean isUndecided(IOException failure) {
            FailureKind kind = FailureKind.of(failure);
            return kind == FailureKind.INTERRUPTED
                    || kind == FailureKind.UNREACHABLE
                    || MountReplacements.isUndecided(failure);
        }

        /**
         * Creates the file. A file of that name can only be one of an earlier request of this copy, whose reply was
         * lost with its session or its mount: it is removed.
         */
        private FileAttributes create(Mount on, Lent lent) throws IOException {
            for (int doubts = 1; ; doubts++) {
                try {
                    return createOnce(on, lent);
                } catch (FileAlreadyExistsException | UndecidedException e) {
                    if (doubts == MOST_DOUBTS) {
                        throw e;
                    }
                    removeEarlier(on);
                }
            }
        }

        private void removeEarlier(Mount on) throws IOException {
            try {
                on.remove(path, seen.above(on, path));
            } catch (NoSuchFileException | UndecidedException e) {
                // not made, or removed by now; else the name is taken, and it is removed again
            }
        }

        private FileAttributes createOnce(Mount on, Lent lent) throws IOException {
            return lent.await(on.createFileAsync(path, seen.above(on, path), content.duplicate(), attributes), runtime);
        }
    }
}
