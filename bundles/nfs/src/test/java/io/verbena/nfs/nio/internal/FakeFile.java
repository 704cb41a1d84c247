package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** The file of a {@link FakeServer}, as it is open on one of its mounts. */
final class FakeFile implements RemoteFile {
    private final FakeServer server;
    private final FakeLife mount;
    /** Whether something was written since the last sync. */
    private volatile boolean dirty;
    /** What failed and was not told. */
    private volatile IOException failure;

    private final boolean appends;

    FakeFile(FakeServer server, FakeLife mount, boolean appends) {
        this.server = server;
        this.mount = mount;
        this.appends = appends;
    }

    void told() {
        failure = null;
    }

    private void report() throws IOException {
        IOException reported = failure;
        failure = null;
        if (reported != null) {
            throw reported;
        }
    }

    @Override
    public String path() {
        return "/f";
    }

    @Override
    public FileAttributes attributes() throws IOException {
        FakeServer.requireHere(mount);
        return server.attributes();
    }

    @Override
    public int read(ByteBuffer destination, long position) throws IOException {
        FakeServer.requireHere(mount);
        server.awaitWrites();
        FakeServer.requireHere(mount);
        byte[] content = server.read();
        if (position >= content.length) {
            return -1;
        }
        int length = Math.min(destination.remaining(), content.length - (int) position);
        destination.put(content, (int) position, length);
        return length;
    }

    @Override
    public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
        if (server.reads != null) {
            return server.reads;
        }
        try {
            return CompletableFuture.completedFuture(read(destination, position));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        try {
            writeAsync(source, position).get();
        } catch (InterruptedException | ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
    }

    @Override
    public CompletableFuture<Void> writeAsync(ByteBuffer source, long position) {
        dirty = true;
        byte[] octets = new byte[source.remaining()];
        source.get(octets);
        CompletableFuture<Void> written = server.write(mount, octets, position);
        CompletableFuture<Void> unused = written.whenComplete((done, thrown) -> {
            dirty = true;
            if (thrown != null) {
                failure = (IOException) thrown;
            }
        });
        return written;
    }

    @Override
    public CompletableFuture<Long> appendAsync(ByteBuffer source, LongConsumer placed) {
        if (mount.gone() != null) {
            return CompletableFuture.failedFuture(mount.gone());
        }
        long position = server.place(source.remaining());
        placed.accept(position);
        return writeAsync(source, position).thenApply(done -> position);
    }

    @Override
    public void truncate(long size) throws IOException {
        FakeServer.requireHere(mount);
        server.truncate((int) size);
    }

    @Override
    public void sync() throws IOException {
        FakeServer.requireHere(mount);
        report();
        dirty = false;
        try {
            server.sync();
        } catch (RuntimeException e) {
            dirty = true;
            throw e;
        }
    }

    @Override
    public SeekableByteChannel channel() {
        return new FakeChannel(this, appends);
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException {
        FakeServer.requireHere(mount);
        Runnable before = server.beforeLock;
        server.beforeLock = () -> {};
        before.run();
        RemoteLock lock = new FakeLock(server, mount, position, size, shared);
        server.locks.add(lock);
        return Optional.of(lock);
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException {
        server.lockWaits.add(wait);
        if (server.lockWaits.size() <= server.denials) {
            return Optional.empty();
        }
        return tryLock(position, size, shared);
    }

    @Override
    public boolean isLocked(long position, long size, boolean shared) {
        return false;
    }

    @Override
    public void close() throws IOException {
        server.open.remove(this);
        if (dirty && mount.isUnsafe()) {
            throw new IOException("what was written could not be brought to stable storage");
        }
        report();
    }

    private record FakeLock(FakeServer server, FakeLife mount, long position, long size, boolean isShared)
            implements RemoteLock {
        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public void onLost(Consumer<IOException> action) {}

        @Override
        public void close() throws IOException {
            FakeServer.requireHere(mount);
            server.locks.remove(this);
            IOException failure = server.unlockFailure;
            server.unlockFailure = null;
            if (failure != null) {
                throw failure;
            }
            server.sync();
        }
    }
}
