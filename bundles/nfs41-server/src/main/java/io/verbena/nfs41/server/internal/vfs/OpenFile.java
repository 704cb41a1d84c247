package io.verbena.nfs41.server.internal.vfs;

import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.util.concurrent.locks.StampedLock;

/**
 * A regular file's open channel, shared by all who use the file. Reads and writes name their position, so they go on
 * side by side; a change of size keeps writes out.
 */
public final class OpenFile {
    private final Inode inode;
    private final FileChannel channel;
    private final boolean writable;
    private final FileReference reference;
    private final StampedLock sizeLock = new StampedLock();
    private int users;
    private long lastUsedNanos;
    private boolean isNew;
    private boolean irreplaceable;
    private volatile boolean unlinked;
    private volatile boolean dirty;

    OpenFile(Inode inode, FileChannel channel, boolean writable) {
        this(inode, channel, writable, null);
    }

    /**
     * @param reference a descriptor that tells the file's attributes, which this closes; null where there is none
     */
    OpenFile(Inode inode, FileChannel channel, boolean writable, FileReference reference) {
        this.inode = inode;
        this.channel = channel;
        this.writable = writable;
        this.reference = reference;
    }

    /**
     * Opens a file by a reference to it, which stays the caller's.
     *
     * @param write whether to write, too
     */
    static OpenFile open(Inode inode, FileReference reference, boolean write) throws IOException {
        FileChannel channel = reference.open(write);
        try {
            FileReference kept = reference.duplicate().orElse(null);
            return new OpenFile(inode, channel, write, kept);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    Inode inode() {
        return inode;
    }

    boolean isWritable() {
        return writable;
    }

    /** Guarded by the cache's lock. */
    int users() {
        return users;
    }

    void use() {
        users++;
    }

    void release(long nowNanos) {
        users--;
        lastUsedNanos = nowNanos;
    }

    long lastUsedNanos() {
        return lastUsedNanos;
    }

    /** Whether this has made the file, and nobody has opened it yet. Guarded by the cache's lock. */
    boolean isNew() {
        return isNew;
    }

    void setNew(boolean now) {
        isNew = now;
    }

    /** Whether the file could not be opened again, once this is closed. Guarded by the cache's lock. */
    boolean isIrreplaceable() {
        return irreplaceable;
    }

    /**
     * Tries whether the file could be opened again. Its mode may have changed since it was opened: the OPEN that makes a
     * file may write to it whatever its mode is, as open(2) has it.
     */
    boolean canBeReplaced() {
        if (reference == null) {
            return true; // nothing that could be asked
        }
        try {
            reference.open(writable).close();
        } catch (AccessDeniedException e) {
            irreplaceable = true;
        } catch (IOException e) {
            return true; // for a lack of descriptors, maybe, and then one less is open
        }
        return !irreplaceable;
    }

    /** Whether the file has no name any more. */
    boolean isUnlinked() {
        return unlinked;
    }

    void unlinked() {
        unlinked = true;
    }

    /** Whether data was written that has not been forced since; holds while nobody is writing. */
    boolean isDirty() {
        return dirty;
    }

    void close() throws IOException {
        try {
            channel.close();
        } finally {
            if (reference != null) {
                reference.close();
            }
        }
    }

    /** A descriptor of the file, which lasts until this is closed; null where there is none. */
    FileReference reference() {
        return reference;
    }

    /**
     * The file's attributes by its descriptor, also when it has no name any more.
     *
     * @return null where there is no such descriptor
     */
    UnixAttributes attributes() throws IOException {
        return reference == null ? null : UnixAttributes.of(reference.status());
    }

    /** Fills the buffer as far as the file goes; -1 or what was read. */
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
        }
        inode.changed();
    }

    /** Brings what was written to stable storage. Blocks. */
    public void force(boolean metadata) throws IOException {
        dirty = false; // what is under way, or comes, may not be forced by this
        channel.force(metadata);
    }

    /** Shortens the file, or lengthens it by a hole. */
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
        }
        inode.changed();
    }
}
