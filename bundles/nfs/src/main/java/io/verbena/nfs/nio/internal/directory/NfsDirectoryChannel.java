package io.verbena.nfs.nio.internal.directory;

import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;

/**
 * A directory that is open to read. Programs open one to force its entries to stable storage, which a server does
 * before it answers. Reading fails, as on Unix.
 */
public final class NfsDirectoryChannel extends FileChannel {
    private final NfsPath directory;
    private long position;

    public NfsDirectoryChannel(NfsPath directory) {
        this.directory = directory;
    }

    private FileSystemException refusal() throws ClosedChannelException {
        requireOpen();
        return new FileSystemException(directory.toString(), null, "it is a directory");
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        throw refusal();
    }

    @Override
    public long read(ByteBuffer[] destinations, int offset, int length) throws IOException {
        throw refusal();
    }

    @Override
    public int read(ByteBuffer destination, long at) throws IOException {
        throw refusal();
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        throw refusal();
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        requireOpen();
        throw new NonWritableChannelException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        requireOpen();
        throw new NonWritableChannelException();
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        requireOpen();
        throw new NonWritableChannelException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        requireOpen();
        throw new NonWritableChannelException();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        requireOpen();
        throw new NonWritableChannelException();
    }

    @Override
    public long position() throws IOException {
        requireOpen();
        return position;
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        requireOpen();
        if (newPosition < 0) {
            throw new IllegalArgumentException("position " + newPosition + " is negative");
        }
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException {
        requireOpen();
        return directory.system().attributes(directory, true).size();
    }

    @Override
    public void force(boolean metaData) throws IOException {
        requireOpen();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long from, long size) throws IOException {
        throw refusal();
    }

    @Override
    public FileLock lock(long from, long size, boolean shared) throws IOException {
        throw refusal();
    }

    @Override
    public FileLock tryLock(long from, long size, boolean shared) throws IOException {
        throw refusal();
    }

    @Override
    protected void implCloseChannel() {
        // directories are not opened on the server
    }
}
