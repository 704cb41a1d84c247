package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.StableHow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.function.Consumer;

/** A channel on an open file, with a position of its own. */
final class FileChannelView implements SeekableByteChannel {
    private final NfsFile file;
    private final Consumer<FileChannelView> onClosed;
    private final ReadAhead readAhead;
    private final WriteBehind writeBehind;
    private long position;
    private boolean closed;

    FileChannelView(NfsFile file, Consumer<FileChannelView> onClosed) {
        this.file = file;
        this.onClosed = onClosed;
        this.readAhead = new ReadAhead(file);
        this.writeBehind = new WriteBehind(file);
    }

    @Override
    public synchronized int read(ByteBuffer destination) throws IOException {
        requireOpen();
        if (!writeBehind.isEmpty()) {
            writeBehind.flush();
        }
        int read = readAhead.read(destination, position);
        position += Math.max(0, read);
        return read;
    }

    @Override
    public synchronized int write(ByteBuffer source) throws IOException {
        requireOpen();
        if (!file.modes().write()) {
            throw new NonWritableChannelException();
        }
        readAhead.drop();
        if (file.modes().append() && writeBehind.isEmpty()) {
            position = file.attributesNow().size();
        }
        int length = source.remaining();
        if (file.modes().stable() == StableHow.UNSTABLE4) {
            writeBehind.write(source, position);
        } else {
            file.write(source, position); // SYNC and DSYNC: the data is safe once this returns
        }
        position += length;
        return length;
    }

    @Override
    public synchronized long position() throws IOException {
        requireOpen();
        return position;
    }

    @Override
    public synchronized SeekableByteChannel position(long newPosition) throws IOException {
        requireOpen();
        if (newPosition < 0) {
            throw new IllegalArgumentException("position " + newPosition + " is negative");
        }
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException { // not under the lock: the file takes those of all its channels
        synchronized (this) {
            requireOpen();
        }
        return file.attributes().size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
        if (size < size()) {
            file.truncate(size);
        }
        synchronized (this) {
            readAhead.drop();
            position = Math.min(position, size);
        }
        return this;
    }

    private void requireOpen() throws ClosedChannelException {
        if (closed || !file.isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public synchronized boolean isOpen() {
        return !closed && file.isOpen();
    }

    /** Sends what was collected and waits until the server has it; on a closed file, tells what it has not. */
    synchronized void flush() throws IOException {
        if (!file.isOpen() && writeBehind.isFilling()) {
            throw new IOException(
                    file.state().path() + " was closed before all that was written through a channel could be sent");
        }
        writeBehind.flush();
    }

    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        readAhead.drop();
        try {
            flush();
            if (file.modes().write()) {
                // not the file's own methods, which take the locks of its channels one after the other
                Blocking.await(file.isOpen() ? file.writeBack().sync() : file.closeAsync());
            }
        } finally {
            onClosed.accept(this);
        }
    }
}
