package io.verbena.nfs41.client.internal;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** An open regular file of a mount. */
final class NfsFile implements RemoteFile {
    private final String path;
    private final OpenModes modes;
    private final OpenState state;
    private final Root root;
    private final BufferPool pool;
    private final Delegations delegations;
    private final Lifetime lifetime;
    private final Consumer<NfsFile> onClosed;
    private final WriteBack writeBack;
    private final FileLocks locks;
    private final Set<FileChannelView> channels = ConcurrentHashMap.newKeySet();
    /** How the file was closed, or is being closed; null while it is open. */
    private final AtomicReference<CompletableFuture<Void>> closing = new AtomicReference<>();

    NfsFile(
            String path,
            OpenModes modes,
            OpenState state,
            Root root,
            BufferPool pool,
            Delegations delegations,
            LockWaiters lockWaiters,
            Lifetime lifetime,
            Consumer<NfsFile> onClosed) {
        this.path = path;
        this.modes = modes;
        this.state = state;
        this.root = root;
        this.pool = pool;
        this.delegations = delegations;
        this.lifetime = lifetime;
        this.onClosed = onClosed;
        this.writeBack = new WriteBack(state, pool, root::wsize, modes.stable());
        this.locks = new FileLocks(state, this::flush, this::requireOpen, lockWaiters, lifetime);
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

    BufferPool pool() {
        return pool;
    }

    WriteBack writeBack() {
        return writeBack;
    }

    int rsize() {
        return root.rsize();
    }

    int wsize() {
        return root.wsize();
    }

    Lifetime lifetime() {
        return lifetime;
    }

    boolean isOpen() {
        return closing.get() == null;
    }

    @Override
    public FileAttributes attributes() throws IOException {
        lifetime.enter();
        try {
            requireOpen();
            flush();
            return attributesNow();
        } finally {
            lifetime.exit();
        }
    }

    /** Puts on stable storage what was written so far, through channels too. Not to be called under a channel's lock. */
    private void flush() throws IOException {
        if (isOpen() && modes.write()) {
            flushChannels();
            Blocking.await(writeBack.sync());
        }
    }

    /** As {@link #attributes}, without what other channels have collected: this takes no channel's lock. */
    FileAttributes attributesNow() throws IOException {
        requireOpen();
        if (modes.write()) {
            Blocking.await(writeBack.sync());
        }
        Attributes known = delegations.known(state);
        return FileAttributesCodec.decode(known != null ? known : Blocking.await(fetchAttributes()));
    }

    private CompletableFuture<Attributes> fetchAttributes() {
        FileRequests.GetAttributes request = new FileRequests.GetAttributes(state);
        Delegation delegation = state.delegation();
        if (delegation == null) {
            return state.call(request);
        }
        long epoch = delegation.attributes().epoch();
        return state.call(request).thenApply(fetched -> {
            delegation.attributes().learn(epoch, fetched);
            return fetched;
        });
    }

    /** Before a delegation goes back: all that was written, to stable storage. Does not wait. */
    private CompletableFuture<Void> writeBackEverything() {
        if (!modes.write()) {
            return CompletableFuture.completedFuture(null);
        }
        channels.forEach(FileChannelView::push);
        return writeBack.settle();
    }

    @Override
    public int read(ByteBuffer destination, long position) throws IOException {
        requirePosition(position);
        lifetime.enter();
        try {
            if (isOpen() && modes.write()) {
                flushChannels();
            }
            return Blocking.await(readNow(destination, position));
        } finally {
            lifetime.exit();
        }
    }

    @Override
    public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
        requirePosition(position);
        return lifetime.operation(() -> readNow(destination, position));
    }

    /** As {@link #readAsync}, as part of an operation. */
    CompletableFuture<Integer> readNow(ByteBuffer destination, long position) {
        if (!isOpen()) {
            return CompletableFuture.failedFuture(new ClosedChannelException());
        }
        if (!modes.read()) {
            throw new NonReadableChannelException();
        }
        if (!destination.hasRemaining()) {
            return CompletableFuture.completedFuture(0);
        }
        return new ReadOperation(state, pool, destination, position, root.rsize()).start();
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        Blocking.await(writeAsync(source, position));
    }

    @Override
    public CompletableFuture<Void> writeAsync(ByteBuffer source, long position) {
        requirePosition(position);
        return lifetime.operation(() -> writeNow(source, position));
    }

    /** As {@link #writeAsync}, as part of an operation. */
    CompletableFuture<Void> writeNow(ByteBuffer source, long position) {
        if (!isOpen()) {
            return CompletableFuture.failedFuture(new ClosedChannelException());
        }
        if (!modes.write()) {
            throw new NonWritableChannelException();
        }
        return writeBack.write(source, position);
    }

    private static void requirePosition(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position " + position + " is negative");
        }
    }

    private void requireOpen() throws IOException {
        if (!isOpen()) {
            lifetime.requireGoing(); // as it was the mount that closed it, or might have been
            throw new ClosedChannelException();
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        lifetime.enter();
        try {
            requireOpen();
            requirePosition(size);
            if (!modes.write()) {
                throw new NonWritableChannelException();
            }
            flush();
            Blocking.await(setAttributes(FileAttributesCodec.encode(AttributeChanges.NONE.withSize(size))));
        } finally {
            lifetime.exit();
        }
    }

    CompletableFuture<Attributes> setAttributes(Attributes changes) {
        Delegation delegation = state.beginChange(DelegatedAttributes.NO_DATA);
        return state.call(new FileRequests.SetAttributes(state, changes)).whenComplete((set, thrown) -> {
            Long size = changes.get(Attribute.SIZE);
            if (delegation != null && size != null && thrown == null) {
                delegation.attributes().resized(size);
            }
            state.endChange(delegation, thrown != null);
        });
    }

    @Override
    public void sync() throws IOException {
        lifetime.enter();
        try {
            requireOpen();
            flush();
        } finally {
            lifetime.exit();
        }
    }

    @Override
    public SeekableByteChannel channel() {
        FileChannelView channel = new FileChannelView(this, channels::remove);
        channels.add(channel);
        return channel;
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
        lifetime.enterToClose();
        try {
            flushAndClose();
        } finally {
            lifetime.exit();
        }
    }

    private void flushAndClose() throws IOException {
        try {
            flushChannels();
        } catch (IOException | RuntimeException e) {
            try {
                Blocking.await(closeAsync());
            } catch (IOException | RuntimeException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
        Blocking.await(closeAsync());
    }

    /** What was written through a channel counts as written to the file. All are tried, whichever fails. */
    private void flushChannels() throws IOException {
        IOException failed = null;
        for (FileChannelView channel : channels) {
            try {
                channel.flush();
            } catch (IOException e) {
                if (failed == null) {
                    failed = e;
                } else {
                    failed.addSuppressed(e);
                }
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** The mount closes what is open still: what channels have collected is sent before. */
    CompletableFuture<Void> closeWithMount() {
        channels.forEach(FileChannelView::push);
        return closeAsync();
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
        Futures.whenDone(closeNow(), (failed, thrown) -> {
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
        CompletableFuture<Void> synced = modes.write() ? writeBack.sync() : CompletableFuture.completedFuture(null);
        return synced.handle((done, thrown) -> thrown)
                .thenCompose(failed -> locks.releaseAll().handle((done, thrown) -> failed == null ? thrown : failed))
                .thenCompose(
                        failed -> state.close(new FileRequests.CloseFile(state)).handle((done, thrown) -> {
                            onClosed.accept(this);
                            writeBack.drop();
                            return failed == null ? thrown : failed;
                        }));
    }
}
