package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A channel whose reads and writes go on without a thread of the caller's. Where the mount is replaced, they are done
 * again on the file as it is opened again; but where the mount that goes cannot make safe what was written before, and the
 * server may lose it, the channel fails, since nobody has that any more.
 */
final class NfsAsynchronousFileChannel extends AsynchronousFileChannel {
    private final NfsFileSystem fileSystem;
    private final OpenFile file;
    private final Options.Open options;
    private final Locking locking;
    private final OrderedWrites writes;
    private final ExecutorService handlers;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Writes that were answered, and how many of them are on stable storage. */
    private final AtomicLong written = new AtomicLong();

    private volatile long safe;

    /**
     * @param handlers where completion handlers run, and what has to wait
     */
    NfsAsynchronousFileChannel(NfsFileSystem fileSystem, OpenFile file, ExecutorService handlers) {
        this.fileSystem = fileSystem;
        this.file = file;
        this.options = file.options();
        this.locking = new Locking(file);
        this.handlers = handlers;
        this.writes = new OrderedWrites(file, fileSystem::await);
        file.keepsNothing(() -> !isSafe());
        fileSystem.opened(this);
    }

    private interface Request<T> {
        CompletableFuture<T> on(RemoteFile file);
    }

    private interface Blocking<T> {
        T run() throws IOException;
    }

    private <T> void attempt(Request<T> request, CompletableFuture<T> result, int replacements) {
        RemoteFile present = file.now();
        CompletableFuture<T> unused = request.on(present).whenComplete((value, thrown) -> {
            if (thrown == null) {
                result.complete(value);
                return;
            }
            Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
            boolean replaced =
                    cause instanceof IOException && Failures.replacement(cause).isPresent();
            if (!replaced || replacements == Remote.MAX_REPLACEMENTS) {
                fail(result, cause);
                return;
            }
            fileSystem.await(
                    () -> {
                        file.reopen(present, (IOException) cause);
                        attempt(request, result, replacements + 1);
                    },
                    thrownThere -> fail(result, thrownThere));
        });
    }

    private boolean isSafe() {
        return written.get() == safe;
    }

    private void fail(CompletableFuture<?> result, Throwable thrown) {
        Throwable cause = thrown instanceof IOException e ? Failures.about(file.path(), e) : thrown;
        if (closed.get() && !(cause instanceof ClosedChannelException)) {
            AsynchronousCloseException told = new AsynchronousCloseException();
            told.initCause(cause);
            cause = told;
        }
        result.completeExceptionally(cause);
    }

    private <T, A> void handle(CompletableFuture<T> result, A attachment, CompletionHandler<T, ? super A> handler) {
        CompletableFuture<T> unused = result.whenComplete((value, thrown) -> handlers.execute(() -> {
            if (thrown == null) {
                handler.completed(value, attachment);
            } else {
                handler.failed(thrown, attachment);
            }
        }));
    }

    private CompletableFuture<Integer> readLater(ByteBuffer destination, long position) {
        Options.requirePosition(position);
        Options.requireFillable(destination);
        options.requireRead();
        int start = destination.position();
        CompletableFuture<Integer> result = new CompletableFuture<>();
        if (closed.get()) {
            result.completeExceptionally(new ClosedChannelException());
        } else {
            attempt(present -> present.readAsync(destination.position(start), position), result, 0);
        }
        return result;
    }

    private CompletableFuture<Integer> writeLater(ByteBuffer source, long position) {
        Options.requirePosition(position);
        options.requireWrite();
        int length = source.remaining();
        CompletableFuture<Integer> result = new CompletableFuture<>();
        if (closed.get()) {
            result.completeExceptionally(new ClosedChannelException());
            return result;
        }
        KeptWrites kept = file.shared().kept();
        KeptWrites.Over over;
        try {
            over = kept.writing(position, position + length);
        } catch (IOException e) {
            fail(result, e);
            return result;
        }
        CompletableFuture<Void> unused = writes.write(source, position).whenComplete((done, thrown) -> {
            if (thrown == null) {
                kept.written(over);
                written.incrementAndGet();
                result.complete(length);
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
        handle(readLater(destination, position), attachment, handler);
    }

    @Override
    public Future<Integer> read(ByteBuffer destination, long position) {
        return readLater(destination, position);
    }

    @Override
    public <A> void write(
            ByteBuffer source, long position, A attachment, CompletionHandler<Integer, ? super A> handler) {
        requireHandler(handler);
        handle(writeLater(source, position), attachment, handler);
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
        Options.requirePosition(size);
        options.requireWrite();
        return blocking(() -> {
            if (size < file.attributes().size()) {
                file.shared().kept().truncate(file, size);
            }
            return this;
        });
    }

    @Override
    public void force(boolean metaData) throws IOException {
        boolean unused = blocking(() -> {
            if (options.write()) {
                long until = written.get(); // those that are answered meanwhile may come after it
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
        NfsFileLock lock = new NfsFileLock(this, file, position, Locking.size(position, size), shared);
        locking.check(shared);
        return lock;
    }

    @Override
    public <A> void lock(
            long position, long size, boolean shared, A attachment, CompletionHandler<FileLock, ? super A> handler) {
        requireHandler(handler);
        handle(lockLater(position, size, shared), attachment, handler);
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
        locking.reserve(lock); // an overlap is told on the caller's thread
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
                lock.release(); // whoever asked for it has cancelled that
            }
        } catch (IOException | RuntimeException | Error e) {
            locking.giveUp(lock);
            fail(result, e);
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
            file.shared().unreserveAll(this); // also what no executor has come to
            boolean unused = Interrupts.deferred(() -> {
                file.close(isSafe());
                return true;
            });
        }
    }
}
