package io.verbena.nfs.nio.internal.channel;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.file.ByteRangeLocking;
import io.verbena.nfs.nio.internal.file.NfsFileLock;
import io.verbena.nfs.nio.internal.file.OpenFile;
import io.verbena.nfs.nio.internal.file.OpenOptions;
import io.verbena.nfs.nio.internal.file.UncommittedWrites;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.Futures;
import io.verbena.nfs.nio.internal.mount.Interrupts;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.nfs.nio.internal.path.MountTree;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A channel whose reads and writes occupy no thread of the caller. If the mount is replaced, they are executed again on
 * the file that is opened again. If the former mount could not commit earlier writes, the channel fails: the server may
 * lose them, and no copies exist.
 */
public final class NfsAsynchronousFileChannel extends AsynchronousFileChannel {
    /** The mount has threads of its own for what may take long. */
    private static final BorrowingFuture.Threads HERE = new BorrowingFuture.Threads() {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void complete(Runnable completion) {
            completion.run();
        }
    };

    private final MountTree fileSystem;
    private final OrderedWrites.Waiting waiting;
    private final OpenFile file;
    private final OpenOptions options;
    private final ByteRangeLocking locking;
    private final OrderedWrites writes;
    private final ExecutorService handlers;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** How many writes were answered; {@code safe} tells how many of these are on stable storage. */
    private final AtomicLong written = new AtomicLong();

    private volatile long safe;

    /**
     * @param handlers where completion handlers run, and calls that have to wait
     * @param waiting executes steps that wait for the next mount
     */
    public NfsAsynchronousFileChannel(OpenFile file, ExecutorService handlers, OrderedWrites.Waiting waiting) {
        this.fileSystem = file.path().system();
        this.waiting = waiting;
        this.file = file;
        this.options = file.options();
        this.locking = new ByteRangeLocking(file);
        this.handlers = handlers;
        this.writes = new OrderedWrites(file, waiting);
        file.keepsNoCopies(() -> !isSafe());
        fileSystem.opened(this);
    }

    private interface Request<T> {
        CompletableFuture<T> on(RemoteFile file);
    }

    private interface Blocking<T> {
        T run() throws IOException;
    }

    private <T> void attempt(
            Request<T> request, BorrowingFuture<T> result, BorrowingFuture.Attempts attempts, int replacements) {
        if (!attempts.begin()) {
            return; // the caller has given the operation up
        }
        RemoteFile present = file.now();
        CompletableFuture<T> begun = begin(request, present, attempts);
        attempts.underWay(begun);
        Consumer<Throwable> onThrown = thrown -> {
            begun.cancel(false);
            attempts.end();
            fail(result, thrown);
        };
        Futures.whenDone(begun, onThrown, (value, cause) -> {
            attempts.end();
            if (cause == null) {
                result.finish(value, null);
                return;
            }
            boolean replaced =
                    cause instanceof IOException && Failures.replacement(cause).isPresent();
            if (!replaced || replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                fail(result, cause);
                return;
            }
            waiting.begin(
                    () -> {
                        file.reopen(present, (IOException) cause);
                        attempt(request, result, attempts, replacements + 1);
                    },
                    thrownThere -> fail(result, thrownThere));
        });
    }

    private static <T> CompletableFuture<T> begin(
            Request<T> request, RemoteFile present, BorrowingFuture.Attempts attempts) {
        try {
            return request.on(present);
        } catch (Throwable e) {
            attempts.end();
            throw e;
        }
    }

    private boolean isSafe() {
        return written.get() == safe;
    }

    private void fail(BorrowingFuture<?> result, Throwable thrown) {
        result.finish(null, told(thrown));
    }

    private Throwable told(Throwable thrown) {
        Throwable cause = thrown instanceof IOException e ? Failures.about(file.path(), e) : thrown;
        if (closed.get() && !(cause instanceof ClosedChannelException)) {
            AsynchronousCloseException told = new AsynchronousCloseException();
            told.initCause(cause);
            cause = told;
        }
        return cause;
    }

    private CompletableFuture<Integer> readLater(ByteBuffer destination, long position) {
        Arguments.requirePosition(position);
        Arguments.requireFillable(destination);
        options.requireRead();
        int start = destination.position();
        BorrowingFuture<Integer> result = new BorrowingFuture<>(HERE);
        if (closed.get()) {
            result.finish(null, new ClosedChannelException());
        } else {
            attempt(
                    present -> present.readAsync(destination.position(start), position),
                    result,
                    new BorrowingFuture.Attempts(result),
                    0);
        }
        return result;
    }

    private CompletableFuture<Integer> writeLater(ByteBuffer source, long position) {
        Arguments.requirePosition(position);
        options.requireWrite();
        int length = source.remaining();
        BorrowingFuture<Integer> result = new BorrowingFuture<>(HERE);
        if (closed.get()) {
            result.finish(null, new ClosedChannelException());
            return result;
        }
        UncommittedWrites kept = file.shared().uncommitted();
        UncommittedWrites.Overwritten over;
        try {
            over = kept.writing(file, position, position + length);
        } catch (IOException e) {
            fail(result, e);
            return result;
        }
        Futures.whenDone(writes.write(source, position, result), thrown -> fail(result, thrown), (done, thrown) -> {
            if (thrown == null) {
                kept.written(over);
                written.incrementAndGet();
                result.finish(length, null);
            } else {
                fail(result, thrown);
            }
        });
        return result;
    }

    @Override
    public <A> void read(
            ByteBuffer destination, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
        requireHandler(handler);
        HandlerCall.whenDone(readLater(destination, position), attachment, handler, handlers);
    }

    @Override
    public Future<Integer> read(ByteBuffer destination, long position) {
        return readLater(destination, position);
    }

    @Override
    public <A> void write(
            ByteBuffer source, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
        requireHandler(handler);
        HandlerCall.whenDone(writeLater(source, position), attachment, handler, handlers);
    }

    @Override
    public Future<Integer> write(ByteBuffer source, long position) {
        return writeLater(source, position);
    }

    private static void requireHandler(CompletionHandler<?, ?> handler) {
        if (handler == null) {
            throw new NullPointerException("a completion handler must be given");
        }
    }

    private <T> T blocking(Blocking<T> step) throws IOException {
        if (closed.get()) {
            throw new ClosedChannelException();
        }
        return Interrupts.deferred(step::run); // no interrupt closes such a channel
    }

    @Override
    public long size() throws IOException {
        return blocking(() -> file.attributes().size());
    }

    @Override
    public AsynchronousFileChannel truncate(long size) throws IOException {
        Arguments.requirePosition(size);
        options.requireWrite();
        return blocking(() -> {
            if (size < file.attributes().size()) {
                file.shared().uncommitted().truncate(file, size);
            }
            return this;
        });
    }

    @Override
    public void force(boolean metaData) throws IOException {
        boolean unused = blocking(() -> {
            if (options.write()) {
                long until = written.get(); // writes that are answered meanwhile may come after the COMMIT
                file.call(present -> {
                    present.sync();
                    return present;
                });
                safe = until;
            }
            return true;
        });
    }

    private NfsFileLock newLock(long position, long size, boolean shared) {
        NfsFileLock lock = new NfsFileLock(this, file, position, ByteRangeLocking.size(position, size), shared);
        locking.check(shared);
        return lock;
    }

    @Override
    public <A> void lock(
            long position, long size, boolean shared, A attachment, CompletionHandler<FileLock, ? super A> handler) {
        requireHandler(handler);
        HandlerCall.whenDone(lockLater(position, size, shared), attachment, handler, handlers);
    }

    @Override
    public Future<FileLock> lock(long position, long size, boolean shared) {
        return lockLater(position, size, shared);
    }

    private CompletableFuture<FileLock> lockLater(long position, long size, boolean shared) {
        NfsFileLock lock = newLock(position, size, shared);
        CompletableFuture<FileLock> result = new CompletableFuture<>();
        if (closed.get()) {
            result.completeExceptionally(new ClosedChannelException());
            return result;
        }
        locking.reserve(lock); // throws for an overlap on the caller's thread
        boolean taken = false;
        try {
            handlers.execute(() -> lockNow(lock, result));
            taken = true;
        } finally {
            if (!taken) {
                locking.giveUp(lock);
            }
        }
        return result;
    }

    private void lockNow(NfsFileLock lock, CompletableFuture<FileLock> result) {
        try {
            boolean obtained = blocking(() -> locking.obtainReserved(lock, true, () -> !result.isDone()));
            if (!result.complete(obtained ? lock : null) && obtained) {
                lock.release(); // the caller has cancelled the future
            }
        } catch (Throwable e) {
            locking.giveUp(lock);
            result.completeExceptionally(told(e));
        }
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        NfsFileLock lock = newLock(position, size, shared);
        return blocking(() -> locking.obtain(lock, false)) ? lock : null;
    }

    @Override
    public boolean isOpen() {
        return !closed.get();
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            fileSystem.closed(this);
            file.beginClose();
            file.shared().unreserveAll(this); // also those of locks whose task has not run yet
            boolean unused = Interrupts.deferred(() -> {
                file.close(isSafe());
                return true;
            });
        }
    }
}
