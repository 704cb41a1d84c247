package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.StableHow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A channel on an open file, with a position of its own. */
final class FileChannelView implements SeekableByteChannel {
    /** No monitor, so that {@link #push} need not wait for somebody who waits for the server. */
    private final ReentrantLock lock = new ReentrantLock();

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
    public int read(ByteBuffer destination) throws IOException {
        enter();
        try {
            requireOpen();
            if (!writeBehind.isEmpty()) {
                writeBehind.flush();
            }
            int read = readAhead.read(destination, position);
            position += Math.max(0, read);
            return read;
        } finally {
            exit();
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        enter();
        try {
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
                file.state().wrote(position + length);
            } else {
                Blocking.await(file.writeNow(source, position)); // SYNC and DSYNC: the data is safe then
            }
            position += length;
            return length;
        } finally {
            exit();
        }
    }

    @Override
    public long position() throws IOException {
        lock.lock();
        try {
            requireOpen();
            return position;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws IOException {
        lock.lock();
        try {
            requireOpen();
            if (newPosition < 0) {
                throw new IllegalArgumentException("position " + newPosition + " is negative");
            }
            position = newPosition;
            return this;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long size() throws IOException { // not under the lock: the file takes those of all its channels
        lock.lock();
        try {
            requireOpen();
        } finally {
            lock.unlock();
        }
        return file.attributes().size();
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
        if (size < size()) {
            file.truncate(size);
        }
        lock.lock();
        try {
            readAhead.drop();
            position = Math.min(position, size);
        } finally {
            lock.unlock();
        }
        return this;
    }

    /** An operation begins, under the lock. */
    private void enter() throws IOException {
        file.lifetime().enter();
        lock.lock();
    }

    private void exit() {
        lock.unlock();
        file.lifetime().exit();
    }

    private void requireOpen() throws IOException {
        if (!closed && !file.isOpen()) {
            file.lifetime().requireGoing(); // as it was the mount that closed the file, or might have been
        }
        if (closed || !file.isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public boolean isOpen() {
        lock.lock();
        try {
            return !closed && file.isOpen();
        } finally {
            lock.unlock();
        }
    }

    /** Sends what was collected and waits until the server has it; on a closed file, tells what it has not. */
    void flush() throws IOException {
        lock.lock();
        try {
            if (!file.isOpen() && writeBehind.isFilling()) {
                file.lifetime().requireGoing();
                throw new IOException(file.state().path()
                        + " was closed before all that was written through a channel could be sent");
            }
            writeBehind.flush();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends what was collected and does not wait for it, nor for somebody who is using the channel: what is written at this
     * moment comes later.
     */
    void push() {
        if (lock.tryLock()) {
            try {
                if (file.isOpen()) {
                    writeBehind.push();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void close() throws IOException {
        file.lifetime().enterToClose();
        lock.lock();
        try {
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
        } finally {
            exit();
        }
    }
}
