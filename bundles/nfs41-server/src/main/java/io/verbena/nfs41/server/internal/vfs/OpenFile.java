package io.verbena.nfs41.server.internal.vfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.locks.StampedLock;

/**
 * A regular file's open channel, shared by all who use the file. Reads and writes name their position, so they go on
 * side by side; a change of size keeps writes out.
 */
public final class OpenFile {
    private final Inode inode;
    private final FileChannel channel;
    private final boolean writable;
    private final StampedLock sizeLock = new StampedLock();
    private int users;
    private long lastUsedNanos;

    OpenFile(Inode inode, FileChannel channel, boolean writable) {
        this.inode = inode;
        this.channel = channel;
        this.writable = writable;
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

    void close() throws IOException {
        channel.close();
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
            sizeLock.unlockRead(stamp);
        }
        inode.changed();
    }

    /** Brings what was written to stable storage. Blocks. */
    public void force(boolean metadata) throws IOException {
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
            sizeLock.unlockWrite(stamp);
        }
        inode.changed();
    }
}
