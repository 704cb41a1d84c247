package io.verbena.itests.model;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** An open file of this host as a RemoteFile. */
final class LocalFile implements RemoteFile {
    private final LocalFiles files;
    private final int mount;
    private final String path;
    private final Object key;
    private final FileChannel channel;
    private final Set<OpenOption> options;

    LocalFile(LocalFiles files, int mount, String path, Object key, FileChannel channel, Set<OpenOption> options) {
        this.files = files;
        this.mount = mount;
        this.path = path;
        this.key = key;
        this.channel = channel;
        this.options = options;
    }

    /** A lock; several of one mount may not overlap. */
    @SuppressWarnings("ReferenceEquality") // two locks may have the same values
    record Held(LocalFile by, long position, long size, boolean isShared) implements RemoteLock {
        private boolean isInTheWay(LocalFile file, long from, long length, boolean shared) {
            boolean overlaps = by.key.equals(file.key) && position < from + length && from < position + size;
            return overlaps && (by.mount == file.mount || !shared || !isShared);
        }

        @Override
        public boolean isValid() {
            return by.files.locks().contains(this);
        }

        @Override
        public void onLost(Consumer<IOException> action) {
            // the lock is never lost
        }

        @Override
        public void close() {
            by.files.locks().removeIf(held -> held == this);
        }
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public FileAttributes attributes() throws IOException {
        return LocalFiles.sized(channel.size());
    }

    @Override
    public int read(ByteBuffer destination, long position) throws IOException {
        if (!options.contains(StandardOpenOption.READ)) {
            throw new NonReadableChannelException();
        }
        int start = destination.position();
        while (destination.hasRemaining()) {
            if (channel.read(destination, position + destination.position() - start) < 0) {
                break;
            }
        }
        return destination.position() == start ? -1 : destination.position() - start;
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
        if (!options.contains(StandardOpenOption.WRITE) && !options.contains(StandardOpenOption.APPEND)) {
            throw new NonWritableChannelException();
        }
        if (files.losesWrite()) {
            source.position(source.limit());
            return;
        }
        while (source.hasRemaining()) {
            int start = source.position();
            int written = channel.write(source, position);
            if (source.hasRemaining()) {
                throw new IOException("written " + written + " from " + start);
            }
        }
    }

    @Override
    public CompletableFuture<Void> writeAsync(ByteBuffer source, long position) {
        try {
            write(source, position);
            return CompletableFuture.completedFuture(null);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<Long> appendAsync(ByteBuffer source, LongConsumer placed) {
        try {
            long end = channel.size();
            placed.accept(end);
            write(source, end);
            return CompletableFuture.completedFuture(end);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        long is = channel.size();
        if (size > is) {
            int written = channel.write(ByteBuffer.allocate(Math.toIntExact(size - is)), is);
            if (written < size - is) {
                throw new IOException("not all was written");
            }
        } else {
            channel.truncate(size);
        }
    }

    @Override
    public void sync() {
        // other mounts see the file at once
    }

    @Override
    public SeekableByteChannel channel() {
        throw new UnsupportedOperationException("channels of local files are not tried");
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared) {
        if (files.locks().stream()
                .anyMatch(held -> held.by().mount == mount && held.isInTheWay(this, position, size, shared))) {
            throw new OverlappingFileLockException();
        }
        if (files.locks().stream().anyMatch(held -> held.isInTheWay(this, position, size, shared))) {
            return Optional.empty();
        }
        Held lock = new Held(this, position, size, shared);
        files.locks().add(lock);
        return Optional.of(lock);
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) {
        return tryLock(position, size, shared);
    }

    @Override
    public boolean isLocked(long position, long size, boolean shared) {
        return files.locks().stream().anyMatch(held -> held.isInTheWay(this, position, size, shared));
    }

    @Override
    public void close() throws IOException {
        files.locks().removeIf(held -> held.by == this);
        channel.close();
    }
}
