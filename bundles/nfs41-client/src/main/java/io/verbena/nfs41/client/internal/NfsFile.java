package io.verbena.nfs41.client.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.StableHow;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** An open regular file of a mount: a thin door to its {@link FileCore}, which all opens of the file share. */
final class NfsFile implements RemoteFile {
    private final String path;
    private final OpenModes modes;
    private final OpenState state;
    private final FileCore core;
    private final FileContext context;
    private final Consumer<NfsFile> onClosed;
    private final Writer writer;
    private final FileLocks locks;
    private final OpenAttributes attributes;
    /** How the file was closed, or is being closed; null while it is open. */
    private final AtomicReference<CompletableFuture<Void>> closing = new AtomicReference<>();

    NfsFile(
            String path,
            OpenModes modes,
            OpenState state,
            FileCore core,
            FileContext context,
            Consumer<NfsFile> onClosed) {
        this.path = path;
        this.modes = modes;
        this.state = state;
        this.core = core;
        this.context = context;
        this.onClosed = onClosed;
        this.writer = new Writer(core.writes(), state, modes.stable());
        this.attributes = new OpenAttributes(state, core, context.delegations());
        this.locks = new FileLocks(state, core, this::flush, this::requireOpen, context);
        state.onRecall(this::writeBackEverything);
    }

    @Override
    public String path() {
        return path;
    }

    OpenModes modes() {
        return modes;
    }

    OpenState state() {
        return state;
    }

    FileCore core() {
        return core;
    }

    Writer writer() {
        return writer;
    }

    BufferPool pool() {
        return context.pool();
    }

    int rsize() {
        return context.root().rsize();
    }

    int wsize() {
        return context.root().wsize();
    }

    /** How old data may be that was read ahead. */
    long cacheNanos() {
        return context.settings().cacheNanos();
    }

    /** Whether each write is answered by the server before it returns. */
    boolean writesThrough() {
        return modes.stable() != StableHow.UNSTABLE4 || context.settings().writesThrough();
    }

    Lifetime lifetime() {
        return context.lifetime();
    }

    boolean isOpen() {
        return closing.get() == null;
    }

    @Override
    public FileAttributes attributes() throws IOException {
        return Blocking.await(lifetime().operation(() -> {
            requireOpen();
            return attributes.behindWrites();
        }));
    }

    /** Puts on stable storage what was written so far, by whatever open. */
    private CompletableFuture<Void> flush() {
        if (!isOpen()) {
            return CompletableFuture.completedFuture(null);
        }
        return modes.write() ? writer.sync() : core.writes().waits().settle();
    }

    /** Before a delegation goes back: all that was written, to stable storage. Does not wait. */
    private CompletableFuture<Void> writeBackEverything() {
        core.revalidate(); // others may change the file from now on
        return modes.write() ? core.writes().waits().settleSent() : CompletableFuture.completedFuture(null);
    }

    @Override
    public int read(ByteBuffer destination, long position) throws IOException {
        return Blocking.await(readAsync(destination, position));
    }

    @Override
    public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
        requirePosition(position);
        return lifetime().operation(() -> readNow(destination, position));
    }

    /** As {@link #readAsync}, as part of an operation. */
    CompletableFuture<Integer> readNow(ByteBuffer destination, long position) {
        if (!isOpen()) {
            return CompletableFuture.failedFuture(new ClosedChannelException());
        }
        if (!modes.read()) {
            throw new NonReadableChannelException();
        }
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("a read-only buffer cannot be read into");
        }
        if (!destination.hasRemaining()) {
            return CompletableFuture.completedFuture(0);
        }
        return core.read(
                destination, position, from -> new ReadOperation(state, pool(), destination, from, rsize()).start());
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        requirePosition(position);
        lifetime().enter();
        try {
            writeAndAwait(source, position);
        } finally {
            lifetime().exit();
        }
    }

    /** As {@link #write}, as part of an operation. */
    void writeAndAwait(ByteBuffer source, long position) throws IOException {
        requireOpenAndWritable();
        if (source.hasRemaining()) {
            await(begin(source, position), written -> written.done);
        }
    }

    /** Waits for a write; where that is interrupted, the buffer is the caller's again. */
    void await(Submission submission, Function<Submission, CompletableFuture<Void>> step) throws IOException {
        try {
            Blocking.await(step.apply(submission));
        } catch (InterruptedIOException e) {
            core.writes().leave(submission);
            throw e;
        }
    }

    @Override
    public CompletableFuture<Void> writeAsync(ByteBuffer source, long position) {
        requirePosition(position);
        return lifetime().operation(() -> {
            requireOpenAndWritable();
            return source.hasRemaining() ? begin(source, position).done : CompletableFuture.<Void>completedFuture(null);
        });
    }

    private Submission begin(ByteBuffer source, long position) {
        long end = position + source.remaining();
        Submission submission = writer.write(source, position);
        core.changed(position, end);
        return submission;
    }

    private void requireOpenAndWritable() throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        requireWritable();
    }

    /** Collects octets that follow one another: see {@link WriteBack#writeBehind}. */
    CompletableFuture<Void> writeBehind(ByteBuffer source, long position) {
        int length = source.remaining();
        CompletableFuture<Void> written = core.writes().writeBehind(writer, source, position);
        long end = position + length - source.remaining();
        core.changed(position, end);
        state.wrote(end);
        return written;
    }

    @Override
    public CompletableFuture<Long> appendAsync(ByteBuffer source, LongConsumer placed) {
        return lifetime().operation(() -> {
            requireOpen();
            requireWritable();
            return appendNow(source, placed);
        });
    }

    private CompletableFuture<Long> appendNow(ByteBuffer source, LongConsumer placed) {
        if (!source.hasRemaining()) {
            return attributes.sizeBehindWrites().thenApply(size -> {
                placed.accept(size);
                return size;
            });
        }
        Submission append = append(source, placed);
        return append.done.thenApply(done -> append.start);
    }

    /** As {@link #appendAsync}, of a buffer with octets, as part of an operation. */
    Submission append(ByteBuffer source, LongConsumer placed) {
        Submission append = core.writes().append(writer, source, placed, attributes::size);
        core.changed(0, Long.MAX_VALUE);
        return append;
    }

    /** Collects appends that follow one another: see {@link WriteBack#appendBehind}. */
    long appendBehind(ByteBuffer source, Consumer<CompletableFuture<Void>> onCollected) {
        int length = source.remaining();
        long at = core.writes().appendBehind(writer, source, onCollected);
        if (at != Submission.NOWHERE) {
            core.changed(at, Long.MAX_VALUE);
            state.wrote(at + length);
        }
        return at;
    }

    private static void requirePosition(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position " + position + " is negative");
        }
    }

    void requireWritable() {
        if (!modes.write()) {
            throw new NonWritableChannelException();
        }
    }

    private void requireOpen() throws IOException {
        if (!isOpen()) {
            lifetime().requireGoing(); // as it was the mount that closed it, or might have been
            throw new ClosedChannelException();
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        Attributes unused = Blocking.await(lifetime().operation(() -> {
            requireOpen();
            requirePosition(size);
            requireWritable();
            return setAttributes(FileAttributesCodec.encode(AttributeChanges.NONE.withSize(size)));
        }));
    }

    /** See {@link OpenAttributes#change}. */
    CompletableFuture<Attributes> setAttributes(Attributes changes) {
        return attributes.change(changes);
    }

    @Override
    public void sync() throws IOException {
        lifetime().enter();
        try {
            requireOpen();
            Blocking.await(flush());
        } finally {
            lifetime().exit();
        }
    }

    @Override
    public SeekableByteChannel channel() {
        return new FileChannelView(this);
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException {
        return locks.tryLock(position, size, shared);
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException {
        return locks.tryLock(position, size, shared, wait);
    }

    @Override
    public boolean isLocked(long position, long size, boolean shared) throws IOException {
        return locks.isLocked(position, size, shared);
    }

    @Override
    public void close() throws IOException {
        lifetime().enterToClose();
        try {
            Blocking.await(closeAsync());
        } finally {
            lifetime().exit();
        }
    }

    /**
     * As {@link #close}, without blocking; whatever fails, the file is closed. What failed is told to each who closes it:
     * the first may have been the mount, which has nobody to tell.
     */
    CompletableFuture<Void> closeAsync() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> earlier = closing.compareAndExchange(null, done);
        if (earlier != null) {
            return earlier.exceptionallyCompose(
                    thrown -> CompletableFuture.failedFuture(Errors.again(Blocking.asIOException(thrown))));
        }
        Futures.whenDone(Futures.begin(this::closeNow), (failed, thrown) -> {
            Throwable reason = thrown == null ? failed : thrown;
            if (reason == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(Futures.unwrap(reason));
            }
        });
        return done;
    }

    /** Completes with what failed, or null. */
    private CompletableFuture<Throwable> closeNow() {
        CompletableFuture<Void> synced = modes.write() ? writer.sync() : CompletableFuture.completedFuture(null);
        return synced.handle((done, thrown) -> thrown)
                .thenCompose(failed -> locks.releaseAll().handle((done, thrown) -> failed == null ? thrown : failed))
                .thenCompose(
                        failed -> state.close(new FileRequests.CloseFile(state)).handle((done, thrown) -> {
                            core.writes().drop(writer);
                            onClosed.accept(this);
                            return failed == null ? thrown : failed;
                        }));
    }
}
