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
 * A channel on an open file. Reads at a position go side by side; what has a position of its own goes one at a time. What
 * one channel of a file system writes, its others read.
 */
final class NfsFileChannel extends FileChannel {
    private final NfsFileSystem fileSystem;
    private final OpenFile file;
    private final Options.Open options;
    private final PendingWrites writes;
    private final ReadAhead readAhead;
    private final Locking locking;
    private final boolean behind;
    /** Of the position, and of what moves it. */
    private final ReentrantLock positioning = new ReentrantLock();

    private long position;
    /** Whether somebody who waited was interrupted, and must not wait again for the channel to be closed. */
    private volatile boolean brokenOff;

    /**
     * @param behind whether a write may return before the server has it: who writes a stream waits at its end only
     */
    NfsFileChannel(NfsFileSystem fileSystem, OpenFile file, boolean behind) {
        this.fileSystem = fileSystem;
        this.file = file;
        this.options = file.options();
        this.behind = behind && !options.isSync();
        this.writes = new PendingWrites(file);
        this.readAhead = new ReadAhead(file);
        this.locking = new Locking(file);
        if (options.write()) {
            file.shared().add(writes);
        }
        fileSystem.opened(this);
    }

    /** Something done on the open channel. */
    @FunctionalInterface
    private interface Step<T> {
        T run() throws IOException;
    }

    /** A failure that comes of an interrupt or of a close meanwhile is told as channels tell it. */
    private <T> T step(Step<T> step) throws IOException {
        requireOpen();
        try {
            return step.run();
        } catch (InterruptedIOException e) {
            ClosedByInterruptException closed = new ClosedByInterruptException();
            closed.initCause(e);
            brokenOff = true;
            try {
                close();
            } catch (IOException failed) {
                closed.addSuppressed(failed);
            }
            throw closed;
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
        return step(() -> readAt(destination, at));
    }

    private int readAt(ByteBuffer destination, long at) throws IOException {
        int start = destination.position();
        return file.call(present -> {
            boolean unused = file.shared().flush();
            destination.position(start);
            return present.read(destination, at);
        });
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        requireOpen();
        requireWritable();
        return positioned(() -> {
            if (options.append()) {
                position = end();
            }
            int length = writeAt(source, position);
            position += length;
            return length;
        });
    }

    /** Where the file ends, with what is on its way there. */
    private long end() throws IOException {
        long pending = writes.end();
        return pending >= 0 ? pending : file.attributes().size();
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
        return step(() -> writeAt(source, options.append() ? end() : at));
    }

    private int writeAt(ByteBuffer source, long at) throws IOException {
        int length = source.remaining();
        if (length == 0) {
            return 0;
        }
        fileSystem.changed();
        file.shared().precede(writes, at, at + length);
        if (behind) {
            writes.write(source, at);
        } else if (file.isReplaceable()) {
            writes.write(source, at);
            writes.flush();
        } else {
            try {
                file.call(present -> {
                    present.write(source, at);
                    return present;
                });
            } finally {
                file.shared().changed(); // a part may be there where not all could be written
            }
        }
        return length;
    }

    @Override
    public long position() throws IOException {
        return positioned(() -> options.append() ? end() : position);
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
                fileSystem.changed();
                // what was written before must not be written again behind it
                writes.sync();
                file.shared().precede(writes, size, Long.MAX_VALUE);
                file.call(present -> {
                    present.truncate(size);
                    return present;
                });
                file.shared().changed();
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
        return Transfers.to(this, from, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        requireOpen();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        requireWritable();
        return Transfers.from(source, this, to, count);
    }

    /**
     * Not to be had: pages of a remote file cannot be mapped from user space, and nobody but the JDK can make a
     * MappedByteBuffer. That no mode is supported is what FileChannel.map has this exception for.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public MappedByteBuffer map(MapMode mode, long from, long size) {
        throw new UnsupportedOperationException(
                "a file on an NFS mount in user space cannot be mapped into memory: read it with FileChannel.read");
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
        return step(() -> locking.obtain(lock, false)) ? lock : null;
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
        boolean safe = !options.write() || (file.isReplaceable() && writes.isEmpty());
        try {
            if (!safe && file.isReplaceable()) {
                writes.sync();
                safe = true;
            } else if (!safe) {
                writes.flush();
            }
        } finally {
            file.shared().remove(writes);
            fileSystem.closed(this);
            try {
                readAhead.close();
            } finally {
                file.close(safe);
            }
        }
    }
}
