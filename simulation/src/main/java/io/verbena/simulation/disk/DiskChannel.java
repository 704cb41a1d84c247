package io.verbena.simulation.disk;

import io.verbena.dirfd.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.Objects;

/** An open file. It cannot be mapped or locked, and takes no notice of interrupts. */
final class DiskChannel extends FileChannel {
    private static final long MAX_SIZE = 1L << 44;
    private static final int TRANSFER = 1 << 16;

    private final SimulatedDisk disk;
    private final Inode inode;
    private final ChannelMode mode;
    private final int restart;
    private long position;

    /** The failed forces of the file that this channel has reported. */
    private int cursor;

    DiskChannel(SimulatedDisk disk, Inode inode, ChannelMode mode) {
        this.disk = disk;
        this.inode = inode;
        this.mode = mode;
        restart = disk.restart();
        cursor = inode.errors.cursor();
        disk.openObjects().opened(inode);
    }

    private void requireOpen() throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        if (restart != disk.restart()) {
            throw Failures.ofChannel(Errno.EIO);
        }
    }

    private void charge(DiskOperation operation, long octets) throws IOException {
        requireOpen();
        disk.charge(operation, octets);
        requireOpen();
    }

    private void requireReadable() throws IOException {
        requireOpen();
        if (!mode.reads()) {
            throw new NonReadableChannelException();
        }
    }

    private void requireWritable() throws IOException {
        requireOpen();
        if (!mode.writes()) {
            throw new NonWritableChannelException();
        }
    }

    private static void requirePosition(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("Negative position");
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int count = read(target, position);
        position += Math.max(0, count);
        return count;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        long total = 0;
        for (int each = offset; each < offset + length; each++) {
            if (targets[each].hasRemaining()) {
                int count = read(targets[each]);
                if (count < 0) {
                    return total == 0 ? -1 : total;
                }
                total += count;
                if (targets[each].hasRemaining()) {
                    return total;
                }
            }
        }
        return total;
    }

    @Override
    public int read(ByteBuffer target, long from) throws IOException {
        requirePosition(from);
        requireReadable();
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        charge(DiskOperation.READ, target.remaining());
        if (!target.hasRemaining()) {
            return 0;
        }
        if (disk.faults().strikes(DiskFault.READ_ERROR)) {
            throw Failures.ofChannel(Errno.EIO);
        }
        return inode.content.read(target, from);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int count = write(source, position);
        position = mode.appends() ? inode.content.size() : position + count;
        return count;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        long total = 0;
        for (int each = offset; each < offset + length; each++) {
            if (sources[each].hasRemaining()) {
                total += write(sources[each]);
                if (sources[each].hasRemaining()) {
                    return total;
                }
            }
        }
        return total;
    }

    /** Writes as much as there is room for. */
    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        requirePosition(at);
        requireWritable();
        charge(DiskOperation.WRITE, source.remaining());
        if (!source.hasRemaining()) {
            return 0;
        }
        if (disk.faults().strikes(DiskFault.WRITE_ERROR)) {
            throw Failures.ofChannel(Errno.EIO);
        }
        long from = mode.appends() ? inode.content.size() : at;
        if (from + source.remaining() > MAX_SIZE) {
            throw Failures.ofChannel(Errno.EFBIG);
        }
        int count = inode.content.write(source, from, disk.space());
        if (count == 0) {
            throw Failures.ofChannel(Errno.ENOSPC);
        }
        disk.settled(inode);
        disk.journal().change(inode, inode.attributes.modified(disk.now()));
        if (mode.forces()) {
            force(true);
        }
        return count;
    }

    @Override
    public long position() throws IOException {
        requireOpen();
        return mode.appends() ? inode.content.size() : position;
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        requirePosition(newPosition);
        requireOpen();
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException {
        requireOpen();
        return inode.content.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        requirePosition(size);
        requireWritable();
        charge(DiskOperation.TRUNCATE, 0);
        if (size < inode.content.size()) {
            Transaction transaction = new Transaction().cut(inode, inode.content.truncate(size, disk.space()));
            disk.journal().add(transaction.change(inode, inode.attributes.modified(disk.now())));
            inode.lastDataChange = inode.lastChange;
        }
        position = Math.min(position, size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        requireOpen();
        long mark = metaData ? inode.lastChange : inode.lastDataChange;
        PendingForce pending = new PendingForce(disk, List.of(inode), mark);
        boolean isCharged = false;
        try {
            charge(DiskOperation.FORCE, pending.octets());
            isCharged = true;
        } finally {
            if (!isCharged) {
                pending.cancel();
            }
        }
        if (disk.faults().strikes(DiskFault.FORCE_ERROR)) {
            pending.fail();
        } else {
            pending.succeed();
        }
        if (inode.errors.isNews(cursor)) {
            cursor = inode.errors.tell();
            disk.faults().reportLate();
            throw Failures.ofChannel(Errno.EIO);
        }
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        requirePosition(from);
        requirePosition(count);
        requireReadable();
        long total = 0;
        while (total < count) {
            ByteBuffer part = ByteBuffer.allocate((int) Math.min(TRANSFER, count - total));
            if (read(part, from + total) < 0) {
                break;
            }
            int written = target.write(part.flip());
            total += written;
            if (part.hasRemaining()) {
                break;
            }
        }
        return total;
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long at, long count) throws IOException {
        requirePosition(at);
        requirePosition(count);
        requireWritable();
        long total = 0;
        while (total < count && at + total <= inode.content.size()) {
            ByteBuffer part = ByteBuffer.allocate((int) Math.min(TRANSFER, count - total));
            if (source.read(part) <= 0) {
                break;
            }
            part.flip();
            while (part.hasRemaining()) {
                total += write(part, at + total);
            }
        }
        return total;
    }

    /** Not there: a mapping would bypass the faults and the time of this disk. */
    @Override
    public MappedByteBuffer map(MapMode how, long from, long size) {
        throw new UnsupportedOperationException("a simulated file cannot be mapped");
    }

    @Override
    public FileLock lock(long from, long size, boolean shared) {
        throw new UnsupportedOperationException("a simulated file cannot be locked");
    }

    @Override
    public FileLock tryLock(long from, long size, boolean shared) {
        throw new UnsupportedOperationException("a simulated file cannot be locked");
    }

    @Override
    protected void implCloseChannel() {
        disk.closed(inode, restart);
    }
}
