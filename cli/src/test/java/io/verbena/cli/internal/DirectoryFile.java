package io.verbena.cli.internal;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;

/** An open file of a {@link DirectoryMount}; its asynchronous calls are done by the mount's thread. */
final class DirectoryFile implements RemoteFile {
    private final DirectoryMount mount;
    private final String path;
    private final FileChannel channel;

    DirectoryFile(DirectoryMount mount, String path, FileChannel channel) {
        this.mount = mount;
        this.path = path;
        this.channel = channel;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public FileAttributes attributes() throws IOException {
        mount.tell("fileAttributes", path, 0);
        return UnixAttributes.of(mount.file(path), true);
    }

    @Override
    public int read(ByteBuffer destination, long position) throws IOException {
        mount.tell("read", path, position);
        int count = 0;
        int last = 0;
        while (destination.hasRemaining() && last >= 0) {
            last = channel.read(destination, position + count);
            count += Math.max(0, last);
        }
        return count == 0 ? -1 : count;
    }

    @Override
    public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
        return later(() -> read(destination, position));
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        mount.tell("write", path, position);
        long next = position;
        while (source.hasRemaining()) {
            next += channel.write(source, next);
        }
        mount.told("write", path);
    }

    @Override
    public CompletableFuture<Long> appendAsync(ByteBuffer source, LongConsumer placed) {
        return later(() -> {
            long position = channel.size();
            placed.accept(position);
            write(source, position);
            return position;
        });
    }

    @Override
    public CompletableFuture<Void> writeAsync(ByteBuffer source, long position) {
        return later(() -> {
            write(source, position);
            return null;
        });
    }

    private <T> CompletableFuture<T> later(Callable<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            mount.io.execute(() -> {
                try {
                    future.complete(work.call());
                } catch (Exception e) {
                    future.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            future.completeExceptionally(new IOException("the mount was unmounted", e));
        }
        return future;
    }

    @Override
    public void truncate(long size) throws IOException {
        mount.tell("truncate", path, size);
        if (size > channel.size()) {
            channel.write(ByteBuffer.allocate(1), size - 1);
        } else {
            channel.truncate(size);
        }
        mount.told("truncate", path);
    }

    @Override
    public void sync() throws IOException {
        mount.tell("sync", path, 0);
        mount.told("sync", path);
    }

    @Override
    public SeekableByteChannel channel() {
        return channel;
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared) throws IOException {
        return tryLock(position, size, shared, Duration.ZERO);
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) throws IOException {
        mount.tell("lock", path, position);
        return mount.locks.tryLock(this, position, size, shared, wait);
    }

    @Override
    public boolean isLocked(long position, long size, boolean shared) {
        return mount.locks.isLocked(this, position, size, shared);
    }

    @Override
    public void close() throws IOException {
        try {
            mount.tell("close", path, 0);
            mount.told("close", path);
        } finally {
            channel.close();
        }
    }
}
