package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A channel on an open file. Reads and writes at a position go side by side; what has a position of its own goes one at a
 * time. The mount orders what its channels do.
 *
 * <p>An interrupt closes the channel where it ends a wait for the server. An interrupt from before closes a channel of
 * {@code FileChannel.open}, as it does on this host; what goes through a channel of {@code Files.newByteChannel} is done
 * all the same, since {@code Files.readAllBytes} and streams go through those, which no interrupt ends on this host.
 */
final class NfsFileChannel extends FileChannel {
    private final NfsFileSystem fileSystem;
    private final OpenFile file;
    private final Options.Open options;
    private final FileWrites writes;
    private final ReadAhead readAhead;
    private final Locking locking;
    private final boolean endsByEarlierInterrupt;
    private final MappedCopies copies;
    /** Of the position, and of what moves it. */
    private final ReentrantLock positioning = new ReentrantLock();

    private long position;
    /** Whether somebody who waited was interrupted, and must not wait again for the channel to be closed. */
    private volatile boolean brokenOff;

    /**
     * @param behind whether a write may return before the server has it, and an interrupt from before does not count: who
     *     reads or writes a stream waits at its end only
     */
    NfsFileChannel(NfsFileSystem fileSystem, OpenFile file, boolean behind) {
        this.fileSystem = fileSystem;
        this.file = file;
        this.options = file.options();
        this.endsByEarlierInterrupt = !behind;
        this.copies = new MappedCopies(fileSystem.maxMapBytes());
        this.writes = new FileWrites(file, behind && !options.isSync());
        this.readAhead = new ReadAhead(file);
        this.locking = new Locking(file);
        fileSystem.opened(this);
    }

    /** Something done on the open channel. */
    @FunctionalInterface
    private interface Step<T> {
        T run() throws IOException;
    }

    /** Something done on the open channel, which an interrupt from before keeps from being done where that counts. */
    private <T> T step(Step<T> step) throws IOException {
        if (!endsByEarlierInterrupt) {
            return Interrupts.deferred(() -> uninterrupted(step));
        }
        requireOpen();
        if (Thread.currentThread().isInterrupted()) {
            throw closedBy(null);
        }
        return uninterrupted(step);
    }

    /** Closes the channel, and says by what. */
    private ClosedByInterruptException closedBy(InterruptedIOException cause) {
        ClosedByInterruptException closed = new ClosedByInterruptException();
        closed.initCause(cause);
        try {
            close();
        } catch (IOException failed) {
            closed.addSuppressed(failed);
        }
        return closed;
    }

    /** A failure that comes of an interrupt or of a close meanwhile is told as channels tell it. */
    private <T> T uninterrupted(Step<T> step) throws IOException {
        requireOpen();
        try {
            return step.run();
        } catch (InterruptedIOException e) {
            brokenOff = true;
            throw closedBy(e);
        } catch (AsynchronousCloseException e) {
            throw e; // a step within this one has told already
        } catch (IOException e) {
            if (!isOpen() && Failures.replacement(e).isEmpty()) {
                AsynchronousCloseException closed = new AsynchronousCloseException();
                closed.initCause(e);
                throw closed;
            }
            throw e;
        }
    }

    private <T> T positioned(Step<T> step) throws IOException {
        requireOpen();
        positioning.lock();
        try {
            return step(step);
        } finally {
            positioning.unlock();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void requireReadable() {
        if (!options.read()) {
            throw new NonReadableChannelException();
        }
    }

    private void requireWritable() {
        if (!options.write()) {
            throw new NonWritableChannelException();
        }
    }

    private static void requirePosition(long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position " + position + " is negative");
        }
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        requireOpen();
        requireReadable();
        requireWritable(destination);
        return positioned(() -> {
            int read = options.write() ? readAt(destination, position) : readAhead.read(destination, position);
            position += Math.max(0, read);
            return read;
        });
    }

    @Override
    public long read(ByteBuffer[] destinations, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, destinations.length);
        requireOpen();
        requireReadable();
        return positioned(() -> {
            long total = 0;
            for (int i = offset; i < offset + length; i++) {
                int read = destinations[i].hasRemaining() ? read(destinations[i]) : 0;
                if (read < 0) {
                    return total == 0 ? -1 : total;
                }
                total += read;
                if (destinations[i].hasRemaining()) {
                    break;
                }
            }
            return total;
        });
    }

    @Override
    public int read(ByteBuffer destination, long at) throws IOException {
        requirePosition(at);
        requireReadable();
        requireWritable(destination);
        return step(() -> readAt(destination, at));
    }

    private static void requireWritable(ByteBuffer destination) {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
    }

    private int readAt(ByteBuffer destination, long at) throws IOException {
        int start = destination.position();
        return file.call(present -> {
            destination.position(start);
            return present.read(destination, at);
        });
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        requireOpen();
        requireWritable();
        return positioned(() -> {
            int length = source.remaining();
            position = writeAt(source, position);
            return length;
        });
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        requireOpen();
        requireWritable();
        return positioned(() -> {
            long total = 0;
            for (int i = offset; i < offset + length; i++) {
                total += write(sources[i]);
            }
            return total;
        });
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        requirePosition(at);
        requireWritable();
        return step(() -> {
            int length = source.remaining();
            long unused = writeAt(source, at);
            return length;
        });
    }

    /** The offset behind what was written, which is at the end of the file where this appends. */
    private long writeAt(ByteBuffer source, long at) throws IOException {
        if (!source.hasRemaining()) {
            return at;
        }
        return writes.write(source, at);
    }

    @Override
    public long position() throws IOException {
        return positioned(() -> options.append() ? file.attributes().size() : position);
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        requirePosition(newPosition);
        return positioned(() -> {
            position = newPosition;
            return this;
        });
    }

    @Override
    public long size() throws IOException {
        return step(() -> file.attributes().size());
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        requirePosition(size);
        requireOpen();
        requireWritable();
        return positioned(() -> {
            if (size < file.attributes().size()) {
                file.shared().kept().truncate(file, size);
            }
            position = Math.min(position, size);
            return this;
        });
    }

    @Override
    public void force(boolean metaData) throws IOException {
        RemoteFile unused = step(() -> {
            if (options.write()) {
                writes.sync();
            }
            return file.now();
        });
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        requireOpen();
        if (!target.isOpen()) {
            throw new ClosedChannelException();
        }
        requireReadable();
        Transfers.requireWritable(target);
        return Transfers.to(this, from, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        requireOpen();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        requireWritable();
        Transfers.requireReadable(source);
        return Transfers.from(source, this, to, count);
    }

    /** Whether it was opened to read. */
    boolean isReadable() {
        return options.read();
    }

    /** Whether it was opened to write. */
    boolean isWritable() {
        return options.write();
    }

    /**
     * A copy of the octets as they are now, in a file of this host's that goes with the buffer: pages of a remote file
     * cannot be mapped from user space. So there is no {@code READ_WRITE}; a range that reaches over the file's end is
     * refused, and so is one of more than the file system's bound ({@code NfsFileSystems.MAX_MAP_BYTES}).
     *
     * @throws UnsupportedOperationException for modes but {@code READ_ONLY} and {@code PRIVATE}
     */
    @Override
    public MappedByteBuffer map(MapMode mode, long from, long size) throws IOException {
        requireOpen();
        MappedCopies.check(mode, from, size);
        requireReadable();
        if (mode != MapMode.READ_ONLY) {
            requireWritable();
        }
        MappedCopies.requireKnown(mode);
        return step(() -> copies.map(this, file.path(), mode, from, size));
    }

    @Override
    public FileLock lock(long from, long size, boolean shared) throws IOException {
        NfsFileLock lock = newLock(from, size, shared);
        try {
            boolean unused = step(() -> locking.obtain(lock, true));
            return lock;
        } catch (ClosedByInterruptException e) {
            FileLockInterruptionException interrupted = new FileLockInterruptionException();
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    @Override
    public FileLock tryLock(long from, long size, boolean shared) throws IOException {
        NfsFileLock lock = newLock(from, size, shared);
        boolean obtained = Interrupts.deferred(() -> uninterrupted(() -> locking.obtain(lock, false)));
        return obtained ? lock : null;
    }

    private NfsFileLock newLock(long from, long size, boolean shared) throws ClosedChannelException {
        NfsFileLock lock = new NfsFileLock(this, file, from, Locking.size(from, size), shared);
        requireOpen();
        locking.check(shared);
        return lock;
    }

    /** An interrupt that came before does not keep from the server what was written. */
    @Override
    protected void implCloseChannel() throws IOException {
        boolean interrupted = !brokenOff && Thread.interrupted();
        try {
            closeNow();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeNow() throws IOException {
        boolean safe = !options.write() || writes.isSafe();
        try {
            if (!safe && file.isReplaceable()) {
                writes.sync();
                safe = true;
            }
        } finally {
            fileSystem.closed(this);
            file.shared().kept().forget(file);
            try {
                readAhead.close();
            } finally {
                file.close(safe);
            }
        }
    }
}
