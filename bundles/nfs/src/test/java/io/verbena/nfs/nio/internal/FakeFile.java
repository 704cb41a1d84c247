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

/** The file of a {@link FakeServer}, as it is open on one of its mounts. */
final class FakeFile implements RemoteFile {
    private final FakeServer server;
    private final FakeServer.Life mount;
    /** Whether something was written since the last sync. */
    private volatile boolean dirty;

    FakeFile(FakeServer server, FakeServer.Life mount) {
        this.server = server;
        this.mount = mount;
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
            throw new IOException(e);
        }
    }

    @Override
    public CompletableFuture<Void> writeAsync(ByteBuffer source, long position) {
        dirty = true;
        byte[] octets = new byte[source.remaining()];
        source.get(octets);
        return server.write(mount, octets, position).thenRun(() -> dirty = true);
    }

    @Override
    public void truncate(long size) throws IOException {
        FakeServer.requireHere(mount);
        server.truncate((int) size);
    }

    @Override
    public void sync() throws IOException {
        FakeServer.requireHere(mount);
        dirty = false;
        server.sync();
    }

    @Override
    public SeekableByteChannel channel() {
        throw new AssertionError("not for these tests");
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException {
        FakeServer.requireHere(mount);
        Runnable before = server.beforeLock;
        server.beforeLock = () -> {};
        before.run();
        return Optional.of(new FakeLock(mount, position, size, shared));
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException {
        return tryLock(position, size, shared);
    }

    @Override
    public boolean isLocked(long position, long size, boolean shared) {
        return false;
    }

    @Override
    public void close() throws IOException {
        if (dirty && mount.isUnsafe()) {
            throw new IOException("what was written could not be brought to stable storage");
        }
    }

    private record FakeLock(FakeServer.Life mount, long position, long size, boolean isShared) implements RemoteLock {
        @Override
        public void close() throws IOException {
            FakeServer.requireHere(mount);
        }
    }
}
