package io.verbena.nfs41.client.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.write.SubmittedWrite;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/** A channel on an open file, with a position of its own. */
final class FileChannelView implements SeekableByteChannel {
    /** The most unanswered WRITEs of a channel. */
    private static final int WINDOW = 8;

    /** Held while a thread waits for the server; an interrupt ends a wait for it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final NfsFile file;

    @GuardedBy("lock")
    private final ReadAhead readAhead;

    /** The writes of this channel that were not seen to be answered. The last one may still collect octets. */
    @GuardedBy("lock")
    private final Deque<CompletableFuture<Void>> sent = new ArrayDeque<>();

    @GuardedBy("lock")
    private long position;

    /** Written under the lock. */
    private volatile boolean closed;

    FileChannelView(NfsFile file) {
        this.file = file;
        this.readAhead = new ReadAhead(file, this::dropIfIdle);
    }

    private void lock() throws InterruptedIOException {
        try {
            if (!lock.tryLock()) {
                lock.lockInterruptibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while another call goes on");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("a read-only buffer cannot be read into");
        }
        file.lifetime().enter();
        try {
            lock();
            try {
                requireOpen();
                int read = readAhead.read(destination, position);
                position += Math.max(0, read);
                if (!file.isOpen()) { // it was closed meanwhile, and this channel need not be closed
                    readAhead.drop();
                }
                return read;
            } finally {
                lock.unlock();
            }
        } finally {
            file.lifetime().exit();
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        file.lifetime().enter();
        try {
            lock();
            try {
                return writeNow(source);
            } finally {
                lock.unlock();
            }
        } finally {
            file.lifetime().exit();
        }
    }

    @GuardedBy("lock")
    private int writeNow(ByteBuffer source) throws IOException {
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
    }

    @GuardedBy("lock")
    private void append(ByteBuffer source) throws IOException {
        int length = source.remaining();
        long at = file.writesThrough() ? SubmittedWrite.NOWHERE : file.appendBehind(source, this::remember);
        if (at == SubmittedWrite.NOWHERE) {
            at = appendInTurn(source);
        }
        position = at + length;
        awaitWindow();
    }

    /** Appends without collecting: the offset of the append is known only later, or the append is too large. */
    @GuardedBy("lock")
    private long appendInTurn(ByteBuffer source) throws IOException {
        Blocking.requireMayWait();
        CompletableFuture<Long> place = new CompletableFuture<>();
        SubmittedWrite append = file.append(source, place::complete);
        if (file.writesThrough()) {
            file.await(append, written -> written.done);
        } else {
            file.await(append, written -> written.taken);
            remember(append.done);
        }
        if (!place.isDone()) {
            Blocking.await(file.runtime(), append.done); // the append has failed before it had an offset
        }
        return Blocking.await(file.runtime(), place);
    }

    /** Takes all octets of {@code source}. Throws the failure of an earlier write. */
    @GuardedBy("lock")
    private void writeAt(ByteBuffer source, long start) throws IOException {
        if (file.writesThrough()) {
            file.writeAndAwait(source, start);
            return;
        }
        long at = start;
        while (source.hasRemaining()) {
            int left = source.remaining();
            CompletableFuture<Void> collected = file.writeBehind(source, at);
            if (collected == null) {
                file.writeAndAwait(source, at); // without memory to collect in: waits for memory in order
            } else {
                remember(collected);
            }
            at += left - source.remaining();
            awaitWindow();
        }
    }

    /** Memory is short. */
    private void dropIfIdle() {
        if (lock.tryLock()) {
            try {
                readAhead.drop();
            } finally {
                lock.unlock();
            }
        }
    }

    private void remember(CompletableFuture<Void> written) {
        lock.lock();
        try {
            if (sent.peekLast() != written) {
                sent.add(written);
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void awaitWindow() throws IOException {
        while (sent.size() > WINDOW || (!sent.isEmpty() && sent.element().isDone())) {
            Blocking.await(file.runtime(), sent.remove());
        }
    }

    @Override
    public long position() throws IOException {
        lock();
        try {
            requireOpen();
            return position;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws IOException {
        lock();
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
        lock();
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
        lock();
        try {
            position = Math.min(position, size);
        } finally {
            lock.unlock();
        }
        return this;
    }

    @GuardedBy("lock")
    private void requireOpen() throws IOException {
        if (!closed && !file.isOpen()) {
            file.lifetime().requireGoing(); // the mount may have closed the file
        }
        if (closed || !file.isOpen()) {
            readAhead.drop();
            throw new ClosedChannelException();
        }
    }

    @Override
    public boolean isOpen() {
        return !closed && file.isOpen();
    }

    @Override
    public void close() throws IOException {
        file.lifetime().enterToClose();
        try {
            lock();
            try {
                closeNow();
            } finally {
                lock.unlock();
            }
        } catch (IOException e) {
            throw Errors.ofClose(e); // a write, or the close of the file, may throw the same one
        } finally {
            file.lifetime().exit();
        }
    }

    @GuardedBy("lock")
    private void closeNow() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        readAhead.drop();
        if (!file.modes().write()) {
            return;
        }
        file.core().writes().push();
        while (!sent.isEmpty()) {
            Blocking.await(file.runtime(), sent.remove());
        }
        if (file.isOpen()) {
            file.awaitSync(file.writer().sync());
        } else {
            Blocking.await(file.runtime(), file.closeAsync());
        }
    }
}
