package io.verbena.itests.model;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** A file opened as a RemoteFile. */
final class RemoteDoor extends Door {
    private final RemoteFile remote;

    RemoteDoor(Side side, int number, ModelFile file, Modes modes, RemoteFile remote) {
        super(side, number, file, modes);
        this.remote = remote;
    }

    @Override
    DoorKind kind() {
        return DoorKind.FILE;
    }

    /** Reads and writes of an append-only RemoteFile at a position are undefined. */
    @Override
    boolean isPositional() {
        return !modes().append();
    }

    @Override
    boolean isAsynchronous() {
        return !modes().append();
    }

    @Override
    boolean readsShort() {
        return false;
    }

    @Override
    boolean truncatesLonger() {
        return true;
    }

    @Override
    int read(ByteBuffer destination, long at) throws IOException {
        return remote.read(destination, at);
    }

    @Override
    void write(ByteBuffer source, long at) throws IOException {
        remote.write(source, at);
    }

    @Override
    Future<Integer> readAsync(ByteBuffer destination, long at) {
        return remote.readAsync(destination, at);
    }

    @Override
    Future<?> writeAsync(ByteBuffer source, long at) {
        return remote.writeAsync(source, at);
    }

    @Override
    boolean appendsAsync() {
        return modes().write();
    }

    @Override
    CompletableFuture<Long> appendAsync(ByteBuffer source) {
        AtomicLong told = new AtomicLong(-1);
        return remote.appendAsync(source, told::set).thenApply(position -> {
            if (position != told.get()) {
                throw new AssertionError("appended at " + position + ", but told was " + told);
            }
            return position;
        });
    }

    @Override
    long size() throws IOException {
        return remote.attributes().size();
    }

    @Override
    void truncate(long size) throws IOException {
        remote.truncate(size);
    }

    @Override
    void sync() throws IOException {
        remote.sync();
    }

    @Override
    Lock tryLock(long at, long size, boolean shared, Duration wait) throws IOException {
        Optional<RemoteLock> lock =
                wait.isZero() ? remote.tryLock(at, size, shared) : remote.tryLock(at, size, shared, wait);
        return lock.<Lock>map(held -> held::close).orElse(null);
    }

    @Override
    Boolean isLocked(long at, long size, boolean shared) throws IOException {
        return remote.isLocked(at, size, shared);
    }

    SeekableByteChannel channel() {
        return remote.channel();
    }

    @Override
    void close() throws IOException {
        remote.close();
    }
}
