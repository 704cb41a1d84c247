package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/** A channel on an open file, with a position of its own. */
final class FileChannelView implements SeekableByteChannel {
    /** The most WRITEs of a channel without an answer. */
    private static final int WINDOW = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final NfsFile file;
    private final ReadAhead readAhead;
    /** What was written and not answered, as far as this channel has not looked; the last may still be filled. */
    private final Deque<CompletableFuture<Void>> sent = new ArrayDeque<>();

    private long position;
    private boolean closed;

    FileChannelView(NfsFile file) {
        this.file = file;
        this.readAhead = new ReadAhead(file);
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        enter();
        try {
            requireOpen();
            int read = readAhead.read(destination, position);
            position += Math.max(0, read);
            return read;
        } finally {
            exit();
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        enter();
        try {
            requireOpen();
            file.requireWritable();
            int length = source.remaining();
            if (length == 0) {
                return 0;
            }
            readAhead.drop();
            if (file.modes().append()) {
                append(source);
            } else {
                writeAt(source, position);
                position += length;
            }
            return length;
        } finally {
            exit();
        }
    }

    private void append(ByteBuffer source) throws IOException {
        int length = source.remaining();
        long at = file.writesThrough() ? Submission.NOWHERE : file.appendBehind(source, this::remember);
        if (at == Submission.NOWHERE) {
            at = appendInTurn(source);
        }
        position = at + length;
        awaitWindow();
    }

    /** The place of the append is known only at its turn, or it is too large to be collected. */
    private long appendInTurn(ByteBuffer source) throws IOException {
        CompletableFuture<Long> place = new CompletableFuture<>();
        Submission append = file.append(source, place::complete);
        if (file.writesThrough()) {
            file.await(append, written -> written.done);
        } else {
            file.await(append, written -> written.taken);
            remember(append.done);
        }
        if (!place.isDone()) {
            Blocking.await(append.done); // it has failed before it had a place
        }
        return Blocking.await(place);
    }

    /** Takes all of {@code source}; an earlier write's failure is thrown here. */
    private void writeAt(ByteBuffer source, long start) throws IOException {
        if (file.writesThrough()) {
            file.writeAndAwait(source, start);
            return;
        }
        long at = start;
        while (source.hasRemaining()) {
            int left = source.remaining();
            remember(file.writeBehind(source, at));
            at += left - source.remaining();
            awaitWindow();
        }
    }

    private void remember(CompletableFuture<Void> written) {
        if (sent.peekLast() != written) {
            sent.add(written);
        }
    }

    private void awaitWindow() throws IOException {
        while (sent.size() > WINDOW || (!sent.isEmpty() && sent.element().isDone())) {
            Blocking.await(sent.remove());
        }
    }

    @Override
    public long position() throws IOException {
        lock.lock();
        try {
            requireOpen();
            return position;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws IOException {
        lock.lock();
        try {
            requireOpen();
            if (newPosition < 0) {
                throw new IllegalArgumentException("position " + newPosition + " is negative");
            }
            position = newPosition;
            return this;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long size() throws IOException {
        lock.lock();
        try {
            requireOpen();
        } finally {
            lock.unlock();
        }
        return file.attributes().size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
        file.requireWritable();
        if (size < size()) {
            file.truncate(size);
        }
        lock.lock();
        try {
            position = Math.min(position, size);
        } finally {
            lock.unlock();
        }
        return this;
    }

    /** An operation begins, under the lock. */
    private void enter() throws IOException {
        file.lifetime().enter();
        lock.lock();
    }

    private void exit() {
        lock.unlock();
        file.lifetime().exit();
    }

    private void requireOpen() throws IOException {
        if (!closed && !file.isOpen()) {
            file.lifetime().requireGoing(); // as it was the mount that closed the file, or might have been
        }
        if (closed || !file.isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public boolean isOpen() {
        lock.lock();
        try {
            return !closed && file.isOpen();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        file.lifetime().enterToClose();
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            readAhead.drop();
            if (file.modes().write()) {
                file.core().writes().push();
                while (!sent.isEmpty()) {
                    Blocking.await(sent.remove());
                }
                Blocking.await(file.isOpen() ? file.writer().sync() : file.closeAsync());
            }
        } finally {
            exit();
        }
    }
}
