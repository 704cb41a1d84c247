package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

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
    private final ExecutorService handlers;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean written;

    /**
     * @param handlers where completion handlers run, and what has to wait
     */
    NfsAsynchronousFileChannel(NfsFileSystem fileSystem, OpenFile file, ExecutorService handlers) {
        this.fileSystem = fileSystem;
        this.file = file;
        this.options = file.options();
        this.locking = new Locking(file);
        this.handlers = handlers;
        fileSystem.opened(this);
    }

    private interface Request<T> {
        CompletableFuture<T> on(RemoteFile file);
    }

    private interface Blocking<T> {
        T run() throws IOException;
    }

    private <T> CompletableFuture<T> request(Request<T> request) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (closed.get()) {
            result.completeExceptionally(new ClosedChannelException());
        } else if (file.isPending()) {
            // another channel has not sent yet what is to be seen here
            handlers.execute(() -> {
                try {
                    boolean unused = file.shared().flush();
                    attempt(request, result, 0);
                } catch (IOException | RuntimeException e) {
                    fail(result, e);
                }
            });
        } else {
            attempt(request, result, 0);
        }
        return result;
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
            handlers.execute(
                    () -> { // it waits, which the thread that tells of it must not
                        try {
                            reopen(present, (IOException) cause);
                            attempt(request, result, replacements + 1);
                        } catch (IOException | RuntimeException e) {
                            fail(result, e);
                        }
                    });
        });
    }

    private void reopen(RemoteFile gone, IOException failure) throws IOException {
        file.reopen(gone, failure);
        if (written && file.isUnsafe(gone)) {
            IOException lost = new IOException(
                    "the mount was replaced, and what was written to " + file.path()
                            + " since it was forced may be lost",
                    failure);
            file.giveUp(lost);
            throw lost;
        }
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
        requirePosition(position);
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
        if (!options.read()) {
            throw new NonReadableChannelException();
        }
        int start = destination.position();
        return request(present -> present.readAsync(destination.position(start), position));
    }

    private CompletableFuture<Integer> writeLater(ByteBuffer source, long position) {
        requirePosition(position);
        if (!options.write()) {
            throw new NonWritableChannelException();
        }
        int start = source.position();
        int length = source.remaining();
        fileSystem.changed();
        return request(
                present -> present.writeAsync(source.position(start), position).thenApply(done -> {
                    written = true;
                    file.shared().changed();
                    return length;
                }));
    }

    private static void requirePosition(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position " + position + " is negative");
        }
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
        return step.run();
    }

    private <T> CompletableFuture<T> later(Blocking<T> step) {
        CompletableFuture<T> result = new CompletableFuture<>();
        handlers.execute(() -> {
            try {
                result.complete(blocking(step));
            } catch (IOException | RuntimeException e) {
                fail(result, e);
            }
        });
        return result;
    }

    @Override
    public long size() throws IOException {
        return blocking(() -> file.attributes().size());
    }

    @Override
    public AsynchronousFileChannel truncate(long size) throws IOException {
        requirePosition(size);
        if (!options.write()) {
            throw new NonWritableChannelException();
        }
        return blocking(() -> {
            if (size < file.attributes().size()) {
                fileSystem.changed();
                sync(present -> present.truncate(size));
                file.shared().changed();
            }
            return this;
        });
    }

    @Override
    public void force(boolean metaData) throws IOException {
        boolean unused = blocking(() -> {
            if (options.write()) {
                sync(RemoteFile::sync);
                written = false;
            }
            return true;
        });
    }

    private interface Change {
        void on(RemoteFile file) throws IOException;
    }

    private void sync(Change change) throws IOException {
        for (int replacements = 0; ; replacements++) {
            RemoteFile present = file.now();
            try {
                change.on(present);
                return;
            } catch (IOException e) {
                if (replacements == Remote.MAX_REPLACEMENTS) {
                    throw Failures.about(file.path(), e);
                }
                reopen(present, e);
            }
        }
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
        if (!closed.get()) {
            locking.reserve(lock); // an overlap is told on the caller's thread
        }
        return later(() -> {
            boolean obtained = locking.obtainReserved(lock, true);
            return obtained ? lock : null;
        });
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
            file.close(!options.write() || !written);
        }
    }
}
