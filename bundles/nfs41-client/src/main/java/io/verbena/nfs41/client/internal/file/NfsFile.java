package io.verbena.nfs41.client.internal.file;

import io.verbena.memory.BorrowingFuture;
import io.verbena.memory.BufferLease;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.state.OpenState;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountLifetime;
import io.verbena.nfs41.client.internal.util.MountMemory;
import io.verbena.nfs41.client.internal.write.OpenWriter;
import io.verbena.nfs41.client.internal.write.SubmittedWrite;
import io.verbena.nfs41.client.internal.write.WriteBack;
import io.verbena.runtime.Runtime;
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

/** An open regular file of a mount, a thin layer on its {@link SharedFileState}. Thread safe. */
public final class NfsFile implements RemoteFile {
    private final String path;
    private final OpenModes modes;
    private final OpenState state;
    private final SharedFileState core;
    private final FileContext context;
    private final Consumer<NfsFile> onClosed;
    private final OpenWriter writer;
    private final FileLocks locks;
    private final OpenAttributes attributes;
    /** The outcome of closing; null while the file is open. */
    private final AtomicReference<CompletableFuture<Void>> closing = new AtomicReference<>();
    /** Complete once closing has brought the writes to stable storage, or has given them up. Never fails. */
    private final CompletableFuture<Void> settledToClose = new CompletableFuture<>();

    NfsFile(
            String path,
            OpenModes modes,
            OpenState state,
            SharedFileState core,
            FileContext context,
            Consumer<NfsFile> onClosed) {
        this.path = path;
        this.modes = modes;
        this.state = state;
        this.core = core;
        this.context = context;
        this.onClosed = onClosed;
        this.writer = new OpenWriter(core.writes(), state, modes.stable());
        this.attributes = new OpenAttributes(state, core, context.delegations());
        this.locks = new FileLocks(state, core, new LockedData(), this::requireOpen, context);
        state.onRecall(this::writeBackEverything);
    }

    @Override
    public String path() {
        return path;
    }

    OpenModes modes() {
        return modes;
    }

    public OpenState state() {
        return state;
    }

    SharedFileState core() {
        return core;
    }

    OpenWriter writer() {
        return writer;
    }

    Runtime runtime() {
        return context.runtime();
    }

    public MountMemory memory() {
        return context.memory();
    }

    int rsize() {
        return context.root().rsize();
    }

    public int wsize() {
        return context.root().wsize();
    }

    /** The greatest age of data that was read ahead, in nanoseconds. */
    long cacheNanos() {
        return context.settings().cacheNanos();
    }

    /** Whether a write returns only after the server's answer. */
    boolean writesThrough() {
        return modes.stable() != StableHow.UNSTABLE4 || context.settings().writesThrough();
    }

    MountLifetime lifetime() {
        return context.lifetime();
    }

    public boolean isOpen() {
        return closing.get() == null;
    }

    @Override
    public FileAttributes attributes() throws IOException {
        return Blocking.await(runtime(), lifetime().operation(() -> {
            requireOpen();
            return attributes.behindWrites();
        }));
    }

    /** As {@link #attributes}, as part of an operation. */
    CompletableFuture<FileAttributes> attributesNow() {
        return attributes.behindWrites();
    }

    /**
     * Brings the writes of all opens so far to stable storage, as part of an operation. Where the file is being closed,
     * waits until closing has done so; closing reports what fails then.
     */
    CompletableFuture<Void> settle() {
        if (!isOpen()) {
            return settledToClose.copy();
        }
        return modes.write() ? writer.sync() : core.writes().waits().settle();
    }

    /** Brings all writes to stable storage before a delegation is returned. Does not wait. */
    private CompletableFuture<Void> writeBackEverything() {
        core.revalidate(); // others may change the file from now on
        return modes.write() ? core.writes().waits().settleSent() : CompletableFuture.completedFuture(null);
    }

    @Override
    public int read(ByteBuffer destination, long position) throws IOException {
        if (destination.hasRemaining()) {
            Blocking.requireMayWait();
        }
        return Blocking.await(runtime(), readAsync(destination, position));
    }

    @Override
    public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
        requirePosition(position);
        return lifetime().operation(() -> readNow(destination, position));
    }

    /** As {@link #readAsync}, as part of an operation. */
    CompletableFuture<Integer> readNow(ByteBuffer destination, long position) {
        if (!isOpen()) {
            return CompletableFuture.failedFuture(closed());
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
        ReadOperation.Range range = new ReadOperation.Range(destination.position(), destination.remaining());
        BorrowingFuture<Integer> result = new BorrowingFuture<>(context.borrowers());
        Futures.whenDoneElse(
                Futures.begin(() -> core.read(range.length(), position, before -> new ReadOperation(
                                state,
                                memory(),
                                destination,
                                range.from(before),
                                position + before,
                                this::rsize,
                                result)
                        .start())),
                (count, thrown) -> {
                    if (thrown == null) {
                        result.use(() -> destination.position(range.start() + Math.max(0, count)));
                    }
                    result.finish(count, thrown);
                },
                thrown -> result.finish(null, thrown));
        return result;
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
            Blocking.requireMayWait();
            await(begin(source, position), written -> written.done);
        }
    }

    /** Waits for a write. After an interrupt the caller may reuse its buffer. */
    void await(SubmittedWrite submission, Function<SubmittedWrite, CompletableFuture<Void>> step) throws IOException {
        try {
            Blocking.await(runtime(), step.apply(submission));
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
            return writeNow(source, position);
        });
    }

    /** As {@link #writeAsync}, as part of an operation. */
    CompletableFuture<Void> writeNow(ByteBuffer source, long position) throws IOException {
        return source.hasRemaining()
                ? lent(begin(source, position), written -> null)
                : CompletableFuture.completedFuture(null);
    }

    /** The future of a write for the owner of its source, who may give the write up. */
    private <T> CompletableFuture<T> lent(SubmittedWrite submission, Function<SubmittedWrite, T> outcome) {
        BorrowingFuture<T> result = new BorrowingFuture<>(context.borrowers());
        BorrowingFuture.Use use = new BorrowingFuture.Use() {
            @Override
            public void giveUp() {
                try {
                    core.writes().leave(submission);
                } finally {
                    result.end(this);
                }
            }
        };
        boolean unused = result.begin(use); // nobody has the future yet
        Futures.whenDoneElse(submission.taken, (taken, thrown) -> result.end(use), thrown -> use.giveUp());
        Futures.whenDoneElse(
                submission.done,
                (done, thrown) -> result.finish(thrown == null ? outcome.apply(submission) : null, thrown),
                thrown -> result.finish(null, thrown));
        return result;
    }

    @Override
    public CompletableFuture<Void> writeAsync(BufferLease source, long position) {
        AtomicReference<SubmittedWrite> begun = new AtomicReference<>();
        try {
            requirePosition(position);
            return lifetime().operation(() -> {
                requireOpenAndWritable();
                if (!source.buffer().hasRemaining()) {
                    return CompletableFuture.<Void>completedFuture(null);
                }
                long end = position + source.buffer().remaining();
                begun.set(submit(() -> writer.write(source, position)));
                core.changed(position, end);
                return begun.get().done.copy(); // the mount waits for the write itself too
            });
        } finally {
            if (begun.get() == null) {
                source.close();
            }
        }
    }

    private SubmittedWrite begin(ByteBuffer source, long position) throws IOException {
        long end = position + source.remaining();
        SubmittedWrite submission = submit(() -> writer.write(source, position));
        core.changed(position, end);
        return submission;
    }

    /** A step that hands a write over, which may be refused. */
    private interface Submission {
        SubmittedWrite submit() throws ClosedChannelException;
    }

    private SubmittedWrite submit(Submission submission) throws IOException {
        try {
            return submission.submit();
        } catch (ClosedChannelException e) { // another thread closes the file at the same time
            throw closed();
        }
    }

    private void requireOpenAndWritable() throws IOException {
        requireOpen();
        requireWritable();
    }

    /** Collects consecutive octets: see {@link WriteBack#writeBehind}. Null where there is no memory. */
    CompletableFuture<Void> writeBehind(ByteBuffer source, long position) {
        int length = source.remaining();
        CompletableFuture<Void> written = core.writes().writeBehind(writer, source, position);
        if (written == null) {
            return null;
        }
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

    private CompletableFuture<Long> appendNow(ByteBuffer source, LongConsumer placed) throws IOException {
        if (!source.hasRemaining()) {
            return attributes.sizeBehindWrites().thenApply(size -> {
                placed.accept(size);
                return size;
            });
        }
        return lent(append(source, placed), append -> append.start);
    }

    /** As {@link #appendAsync}, of a buffer with octets, as part of an operation. */
    SubmittedWrite append(ByteBuffer source, LongConsumer placed) throws IOException {
        SubmittedWrite append = submit(() -> core.writes().append(writer, source, placed, attributes::size));
        core.changed(0, Long.MAX_VALUE);
        return append;
    }

    /** Collects consecutive appends: see {@link WriteBack#appendBehind}. */
    long appendBehind(ByteBuffer source, Consumer<CompletableFuture<Void>> onCollected) {
        int length = source.remaining();
        long at = core.writes().appendBehind(writer, source, onCollected);
        if (at != SubmittedWrite.NOWHERE) {
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
            throw closed();
        }
    }

    /** Why the file is closed: by its user, or by the mount as that has ended. */
    private IOException closed() {
        return lifetime().isEnded() ? lifetime().refusal(false) : new ClosedChannelException();
    }

    @Override
    public void truncate(long size) throws IOException {
        Attributes unused = Blocking.await(runtime(), lifetime().operation(() -> {
            requireOpen();
            requirePosition(size);
            requireWritable();
            return setAttributes(FileAttributesCodec.encode(AttributeChanges.NONE.withSize(size)));
        }));
    }

    @Override
    public FileAttributes setAttributes(AttributeChanges changes) throws IOException {
        Attributes set = Blocking.await(runtime(), lifetime().operation(() -> {
            requireOpen();
            if (changes.size() != null) {
                requireWritable();
            }
            return core.writes()
                    .waits()
                    .answered()
                    .thenCompose(done -> setAttributes(FileAttributesCodec.encode(changes)));
        }));
        return FileAttributesCodec.decode(set);
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
            awaitSync(settle());
        } finally {
            lifetime().exit();
        }
    }

    @Override
    public void flush() throws IOException {
        lifetime().enter();
        try {
            requireOpen();
            awaitSync(modes.write() ? writer.flush() : core.writes().waits().answered());
        } finally {
            lifetime().exit();
        }
    }

    /** Waits for a sync. An interrupted thread leaves the failure of the sync to the next one. */
    void awaitSync(CompletableFuture<Void> synced) throws IOException {
        try {
            Blocking.await(runtime(), synced);
        } catch (InterruptedIOException e) {
            writer.notHeard(synced);
            throw e;
        }
    }

    /** What the holder of a lock has written. */
    private final class LockedData implements FileLocks.Data {
        @Override
        public CompletableFuture<Void> flush() {
            return NfsFile.this.settle();
        }

        @Override
        public void notHeard(CompletableFuture<Void> flushed) {
            writer.notHeard(flushed);
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
            Blocking.await(runtime(), closeAsync());
        } finally {
            lifetime().exit();
        }
    }

    /**
     * As {@link #close}, without blocking. The file is closed even where a step fails. Each caller gets the failure, as
     * the first caller may be the mount, which has no user to tell.
     */
    public CompletableFuture<Void> closeAsync() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> earlier = closing.compareAndExchange(null, done);
        if (earlier != null) {
            return earlier.exceptionallyCompose(
                    thrown -> CompletableFuture.failedFuture(Errors.ofClose(Blocking.asIOException(thrown))));
        }
        Futures.whenDone(Futures.begin(this::closeNow), done, (failed, thrown) -> {
            Throwable reason = thrown == null ? failed : thrown;
            settledToClose.complete(null); // where closing has failed before
            if (reason == null) {
                done.complete(null);
            } else {
                Throwable cause = Futures.unwrap(reason);
                done.completeExceptionally(cause instanceof IOException e ? Errors.ofClose(e) : cause);
            }
        });
        return done;
    }

    private CompletableFuture<Void> syncedToClose() {
        if (!modes.write()) {
            return CompletableFuture.completedFuture(null);
        }
        return lifetime().isReplaced() ? writer.syncForNextMount() : writer.sync();
    }

    /** Completes with the first failure, or null. */
    private CompletableFuture<Throwable> closeNow() {
        writer.seal();
        core.closed(this);
        return syncedToClose()
                .handle((done, thrown) -> thrown)
                // before the locks go: the next holder's data must not be overwritten by what is written again
                .thenCompose(failed -> failed == null
                        ? CompletableFuture.<Throwable>completedFuture(null)
                        : core.writes().giveUp(writer, Futures.unwrap(failed)).thenApply(done -> failed))
                .whenComplete((failed, thrown) -> settledToClose.complete(null))
                .thenCompose(failed -> locks.releaseAll().handle((done, thrown) -> failed == null ? thrown : failed))
                .thenCompose(
                        failed -> state.close(new FileRequests.CloseFile(state)).handle((done, thrown) -> {
                            core.writes().drop(writer);
                            onClosed.accept(this);
                            return failed == null ? thrown : failed;
                        }));
    }
}
