package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A channel on an open file. Reads and writes at a position go side by side; what has a position of its own goes one at a
 * time. The mount orders what its channels do.
 */
final class NfsFileChannel extends FileChannel {
    private final NfsFileSystem fileSystem;
    private final OpenFile file;
    private final Options.Open options;
    private final FileWrites writes;
    private final ReadAhead readAhead;
    private final Locking locking;
    private final ChannelSteps steps;
    private final MappedCopies copies;
    /** Of the position, and of what moves it. */
    private final ReentrantLock positioning = new ReentrantLock();

    private long position;

    /**
     * @param behind whether a write may return before the server has it, and an interrupt from before does not count: who
     *     reads or writes a stream waits at its end only
     */
    NfsFileChannel(NfsFileSystem fileSystem, OpenFile file, boolean behind) {
        this.fileSystem = fileSystem;
        this.file = file;
        this.options = file.options();
        this.steps = new ChannelSteps(this, !behind);
        this.copies = new MappedCopies(fileSystem.maxMapBytes());
        this.writes = new FileWrites(file, behind && !options.isSync());
        this.readAhead = new ReadAhead(file);
        this.locking = new Locking(file);
        fileSystem.opened(this);
    }

    private <T> T positioned(ChannelSteps.Step<T> step) throws IOException {
        requireOpen();
        positioning.lock();
        try {
            return steps.run(step);
        } finally {
            positioning.unlock();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        requireOpen();
        options.requireRead();
        Options.requireFillable(destination);
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
        options.requireRead();
        return positioned(() -> Transfers.scatter(this, destinations, offset, length));
    }

    @Override
    public int read(ByteBuffer destination, long at) throws IOException {
        Options.requirePosition(at);
        options.requireRead();
        Options.requireFillable(destination);
        return steps.run(() -> readAt(destination, at));
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
        options.requireWrite();
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
        options.requireWrite();
        return positioned(() -> Transfers.gather(this, sources, offset, length));
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        Options.requirePosition(at);
        options.requireWrite();
        return steps.run(() -> {
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
        Options.requirePosition(newPosition);
        return positioned(() -> {
            position = newPosition;
            return this;
        });
    }

    @Override
    public long size() throws IOException {
        return steps.run(() -> file.attributes().size());
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        Options.requirePosition(size);
        requireOpen();
        options.requireWrite();
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
        RemoteFile unused = steps.run(() -> {
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
        options.requireRead();
        Transfers.requireWritable(target);
        return Transfers.to(this, from, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        requireOpen();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        options.requireWrite();
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
        options.requireRead();
        if (mode != MapMode.READ_ONLY) {
            options.requireWrite();
        }
        MappedCopies.requireKnown(mode);
        return steps.run(() -> copies.map(this, file.path(), mode, from, size));
    }

    @Override
    public FileLock lock(long from, long size, boolean shared) throws IOException {
        NfsFileLock lock = newLock(from, size, shared);
        try {
            boolean unused = steps.run(() -> locking.obtain(lock, true));
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
        boolean obtained = Interrupts.deferred(() -> steps.runUninterrupted(() -> locking.obtain(lock, false)));
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
        boolean interrupted = !steps.areBrokenOff() && Thread.interrupted();
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
