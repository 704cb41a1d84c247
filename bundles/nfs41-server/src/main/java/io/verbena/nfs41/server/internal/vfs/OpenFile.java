package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.FileReference;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.util.concurrent.locks.StampedLock;

/**
 * The open channel of a regular file, which all users of the file share. Reads and writes have explicit positions and
 * run concurrently; a change of the size excludes writes.
 */
public final class OpenFile {
    private final Inode inode;
    private final FileChannel channel;
    private final boolean writable;
    private final FileReference reference;
    private final StampedLock sizeLock = new StampedLock();

    // guarded by the lock of the FileCache that contains this file; there is no reference to it
    private int users;
    private long lastUsedNanos;
    private boolean isNew;
    private boolean irreplaceable;

    private volatile boolean unlinked;
    private volatile boolean dirty;
    private volatile boolean closed;

    public OpenFile(Inode inode, FileChannel channel, boolean writable) {
        this(inode, channel, writable, null);
    }

    /** @param reference a descriptor for the attributes of the file, which this object closes; null if there is none */
    public OpenFile(Inode inode, FileChannel channel, boolean writable, FileReference reference) {
        this.inode = inode;
        this.channel = channel;
        this.writable = writable;
        this.reference = reference;
    }

    /**
     * Opens a file by a reference to it, which the caller closes.
     *
     * @param write whether to write, too
     */
    static OpenFile open(Inode inode, FileReference reference, boolean write) throws IOException {
        FileChannel channel = reference.open(write);
        try {
            FileReference kept = reference.duplicate().orElse(null);
            return new OpenFile(inode, channel, write, kept);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    public Inode inode() {
        return inode;
    }

    public boolean isWritable() {
        return writable;
    }

    public int users() {
        return users;
    }

    public void use() {
        users++;
    }

    public void release(long nowNanos) {
        users--;
        lastUsedNanos = nowNanos;
    }

    public long lastUsedNanos() {
        return lastUsedNanos;
    }

    /** Whether the file was created with this channel, and no client has opened it yet. */
    public boolean isNew() {
        return isNew;
    }

    public void setNew(boolean now) {
        isNew = now;
    }

    /** Whether the file could not be opened again after this channel is closed. */
    public boolean isIrreplaceable() {
        return irreplaceable;
    }

    /**
     * Tests whether the file could be opened again. Its mode may have changed since it was opened, and an OPEN that
     * creates a file may write to it whatever the mode is, as open(2).
     */
    public boolean canBeReplaced() {
        if (reference == null) {
            return true; // there is no descriptor to test with
        }
        try {
            reference.open(writable).close();
        } catch (AccessDeniedException e) {
            irreplaceable = true;
        } catch (IOException e) {
            return true; // descriptors may be exhausted, and closing this file frees one
        }
        return !irreplaceable;
    }

    /** Whether the file has no name any more. */
    public boolean isUnlinked() {
        return unlinked;
    }

    public void unlinked() {
        unlinked = true;
    }

    /** Whether there is written data that has not been forced; the answer holds while no thread writes. */
    public boolean isDirty() {
        return dirty;
    }

    /** Whether the channel is open: an interrupt of a thread that reads or writes by it closes it, too. */
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return closed;
    }

    public void close() throws IOException {
        closed = true;
        try {
            channel.close();
        } finally {
            if (reference != null) {
                reference.close();
            }
        }
    }

    /** A descriptor of the file, which is closed with this object; null if there is none. */
    public FileReference reference() {
        return reference;
    }

    /**
     * The attributes of the file by its descriptor, also if the file has no name any more.
     *
     * @return null if there is no descriptor
     */
    public UnixAttributes attributes() throws IOException {
        return reference == null ? null : UnixAttributes.of(reference.status());
    }

    /** Reads until the buffer is full or the file ends; returns the octets read, or -1. */
    public int read(ByteBuffer target, long position) throws IOException {
        int total = 0;
        while (target.hasRemaining()) {
            int count = channel.read(target, position + total);
            if (count < 0) {
                return total == 0 ? -1 : total;
            }
            total += count;
        }
        return total;
    }

    public long size() throws IOException {
        return channel.size();
    }

    /** Writes all of the buffer. */
    public void write(ByteBuffer source, long position) throws IOException {
        long stamp = sizeLock.readLock();
        try {
            long at = position;
            while (source.hasRemaining()) {
                at += channel.write(source, at);
            }
        } finally {
            dirty = true; // behind the change: a force beside it may have missed it
            sizeLock.unlockRead(stamp);
            inode.changed(); // a part may be done where this throws, as on a full disk
        }
    }

    /** Brings written data to stable storage. Blocks. */
    public void force(boolean metadata) throws IOException {
        dirty = false; // this force may miss a write that is under way or begins now
        channel.force(metadata);
    }

    /** Called before the whole file system is brought to stable storage. */
    public void setForced() {
        dirty = false; // that may miss a write that is under way or begins now
    }

    /** Called when the file system was not brought to stable storage. */
    public void setDirty() {
        dirty = true;
    }

    /** Truncates the file, or extends it by a hole. */
    public void setSize(long size) throws IOException {
        long stamp = sizeLock.writeLock();
        try {
            if (size > channel.size()) {
                channel.write(ByteBuffer.allocate(1), size - 1);
            } else {
                channel.truncate(size);
            }
        } finally {
            dirty = true; // behind the change: a force beside it may have missed it
            sizeLock.unlockWrite(stamp);
            inode.changed(); // a part may be done where this throws, as on a full disk
        }
    }
}
