package io.verbena.nfs.nio.internal.channel;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.file.ByteRangeLocking;
import io.verbena.nfs.nio.internal.file.NfsFileLock;
import io.verbena.nfs.nio.internal.file.OpenFile;
import io.verbena.nfs.nio.internal.file.OpenOptions;
import io.verbena.nfs.nio.internal.mount.CallLock;
import io.verbena.nfs.nio.internal.mount.Interrupts;
import io.verbena.nfs.nio.internal.path.MountTree;
import java.io.Closeable;
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

/**
 * A channel on an open file. Reads and writes at a given position run side by side; those at the channel's position run
 * one at a time. The mount orders the operations of its channels.
 */
public final class NfsFileChannel extends FileChannel {
    private final MountTree fileSystem;
    private final OpenFile file;
    private final OpenOptions options;
    private final FileWrites writes;
    private final SequentialReader readAhead;
    private final ByteRangeLocking locking;
    private final InterruptibleCalls steps;
    private final MappedCopies copies;
    /** Held by operations that use the channel's position. */
    private final CallLock positioning;

    /** Guarded by {@link #positioning}, in {@link #positioned}: Error Prone does not follow the lambdas there. */
    private long position;

    /**
     * @param behind whether the channel serves a stream: a write may return before the server has it, and an interrupt
     *     from before a call does not close the channel
     * @param maxMapBytes the longest range that is copied to be mapped
     */
    public NfsFileChannel(OpenFile file, boolean behind, long maxMapBytes) {
        this.fileSystem = file.path().system();
        this.file = file;
        this.options = file.options();
        this.steps = new InterruptibleCalls(this, !behind);
        this.copies = new MappedCopies(maxMapBytes);
        this.writes = new FileWrites(file, behind && !options.isSync());
        this.readAhead = new SequentialReader(file);
        this.locking = new ByteRangeLocking(file);
        this.positioning = new CallLock(fileSystem.runtime());
        fileSystem.opened(this);
    }

    private <T> T positioned(InterruptibleCalls.Step<T> step) throws IOException {
        return steps.run(() -> {
            positioning.lock(() -> !isOpen());
            try {
                requireOpen();
                return step.run();
            } finally {
                positioning.unlock();
            }
        });
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
        Arguments.requireFillable(destination);
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
        return positioned(() -> ChannelTransfers.scatter(this, destinations, offset, length));
    }

    @Override
    public int read(ByteBuffer destination, long at) throws IOException {
        Arguments.requirePosition(at);
        options.requireRead();
        Arguments.requireFillable(destination);
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
        return positioned(() -> ChannelTransfers.gather(this, sources, offset, length));
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        Arguments.requirePosition(at);
        options.requireWrite();
        return steps.run(() -> {
            int length = source.remaining();
            long unused = writeAt(source, at);
            return length;
        });
    }

    /** Writes the buffer. Returns the offset after its last octet: the end of the file for a channel that appends. */
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
        Arguments.requirePosition(newPosition);
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
        Arguments.requirePosition(size);
        requireOpen();
        options.requireWrite();
        return positioned(() -> {
            if (size < file.attributes().size()) {
                file.shared().uncommitted().truncate(file, size);
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
        ChannelTransfers.requireWritable(target);
        return ChannelTransfers.to(this, from, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        requireOpen();
        if (!source.isOpen()) {
            throw new ClosedChannelException();
        }
        options.requireWrite();
        ChannelTransfers.requireReadable(source);
        return ChannelTransfers.from(source, this, to, count);
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
     * Maps a copy of the present octets in a local file, which ends with the buffer: pages of a remote file cannot be
     * mapped from user space. So {@code READ_WRITE} is not supported. A range beyond the end of the file is refused,
     * and so is a range of more than {@code NfsFileSystems.MAX_MAP_BYTES}.
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
        NfsFileLock lock = new NfsFileLock(this, file, from, ByteRangeLocking.size(from, size), shared);
        requireOpen();
        locking.check(shared);
        return lock;
    }

    /** Closes the channel. An interrupt from before does not prevent that writes reach the server. */
    @Override
    protected void implCloseChannel() throws IOException {
        boolean interrupted = !steps.wereInterrupted() && Thread.interrupted();
        try {
            writes.beginClose();
            positioning.wake();
            closeNow();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A failure of the writes is the failure of the close; what fails behind it is suppressed. */
    private void closeNow() throws IOException {
        try (Ending ending = new Ending(!options.write() || writes.isSafe())) {
            if (!ending.isSafe && file.isReplaceable()) {
                writes.sync();
                ending.isSafe = true;
            }
        }
    }

    /** What a close does in any case. */
    private final class Ending implements Closeable {
        /** Whether all writes are on stable storage. */
        private boolean isSafe;

        Ending(boolean isSafe) {
            this.isSafe = isSafe;
        }

        @Override
        public void close() throws IOException {
            fileSystem.closed(NfsFileChannel.this);
            file.shared().uncommitted().forget(file);
            try {
                readAhead.close();
            } finally {
                file.close(isSafe);
            }
        }
    }
}
