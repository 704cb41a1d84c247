package io.verbena.hadoop.internal.stream;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;

/** A file whose writes and syncs fail as the test says. */
class FakeFile implements RemoteFile {
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    /** The failure of the next write of a channel; null for none. */
    Exception failureOfWrite;
    /** The failure of the next sync; null for none. */
    IOException failureOfSync;
    /** Where the server does not answer the next sync, or read, until the test says so; null where it does. */
    volatile CountDownLatch answer;

    volatile boolean isClosed;

    /** A call has come, and waits for its answer; may be interrupted. */
    final CountDownLatch waits = new CountDownLatch(1);

    private void awaitAnswer() throws InterruptedIOException {
        CountDownLatch awaited = answer;
        answer = null;
        if (awaited == null) {
            return;
        }
        waits.countDown();
        try {
            awaited.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    @Override
    public String path() {
        return "/file";
    }

    @Override
    public FileAttributes attributes() {
        Instant time = Instant.EPOCH;
        return new FileAttributes(
                FileType.REGULAR, content.size(), 0, 0_644, 1, "root", "root", time, time, time, 0, 0, 1, 1);
    }

    @Override
    public int read(ByteBuffer destination, long position) throws IOException {
        awaitAnswer();
        return -1;
    }

    @Override
    public CompletableFuture<Integer> readAsync(ByteBuffer destination, long position) {
        return CompletableFuture.completedFuture(-1);
    }

    @Override
    public void write(ByteBuffer source, long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> writeAsync(ByteBuffer source, long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Long> appendAsync(ByteBuffer source, LongConsumer placed) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void truncate(long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sync() throws IOException {
        awaitAnswer();
        IOException failure = failureOfSync;
        failureOfSync = null;
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public SeekableByteChannel channel() {
        return new Channel();
    }

    private final class Channel implements SeekableByteChannel {
        @Override
        public int read(ByteBuffer destination) {
            return -1;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            Exception failure = failureOfWrite;
            failureOfWrite = null;
            if (failure instanceof IOException e) {
                throw e;
            } else if (failure instanceof RuntimeException e) {
                throw e;
            }
            int count = source.remaining();
            while (source.hasRemaining()) {
                content.write(source.get());
            }
            return count;
        }

        @Override
        public long position() {
            return content.size();
        }

        @Override
        public SeekableByteChannel position(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long size() {
            return content.size();
        }

        @Override
        public SeekableByteChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return !isClosed;
        }

        @Override
        public void close() throws IOException {
            sync();
        }
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<RemoteLock> tryLock(long position, long size, boolean shared, Duration wait) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isLocked(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
