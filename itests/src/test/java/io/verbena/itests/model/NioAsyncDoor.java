package io.verbena.itests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** An AsynchronousFileChannel. */
final class NioAsyncDoor extends Door {
    private final AsynchronousFileChannel channel;

    NioAsyncDoor(Side side, int number, ModelFile file, Modes modes, AsynchronousFileChannel channel) {
        super(side, number, file, modes);
        this.channel = channel;
    }

    @Override
    DoorKind kind() {
        return DoorKind.NIO_ASYNC;
    }

    @Override
    boolean isPositional() {
        return false;
    }

    @Override
    boolean isAsynchronous() {
        return true;
    }

    @Override
    Lock tryLock(long at, long size, boolean shared, Duration wait) throws IOException {
        FileLock lock = wait.isZero() ? channel.tryLock(at, size, shared) : waitFor(channel.lock(at, size, shared));
        return lock == null ? null : lock::release;
    }

    private static FileLock waitFor(Future<FileLock> lock) throws IOException {
        try {
            return lock.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OverlappingFileLockException overlapping) {
                throw overlapping;
            }
            throw new IOException(e);
        }
    }

    @Override
    Future<Integer> readAsync(ByteBuffer destination, long at) {
        return channel.read(destination, at);
    }

    @Override
    Future<?> writeAsync(ByteBuffer source, long at) {
        return channel.write(source, at);
    }

    @Override
    long size() throws IOException {
        return channel.size();
    }

    @Override
    void truncate(long size) throws IOException {
        channel.truncate(size);
    }

    @Override
    void sync() throws IOException {
        channel.force(true);
    }

    @Override
    void close() throws IOException {
        channel.close();
    }
}
