package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;

/** A lock that the server has granted, or is about to be asked for. */
final class NfsFileLock extends FileLock {
    private final OpenFile file;
    private RemoteLock granted;
    private boolean invalid;

    NfsFileLock(FileChannel channel, OpenFile file, long position, long size, boolean shared) {
        super(channel, position, size, shared);
        this.file = file;
    }

    NfsFileLock(AsynchronousFileChannel channel, OpenFile file, long position, long size, boolean shared) {
        super(channel, position, size, shared);
        this.file = file;
    }

    synchronized void grant(RemoteLock lock) {
        granted = lock;
        lock.onLost(why -> file.shared().unreserve(this)); // others may have it from now on
    }

    /** The channel was closed, or the mount replaced: the lock is gone. */
    synchronized void invalidate() {
        invalid = true;
        file.shared().unreserve(this);
    }

    @Override
    public synchronized boolean isValid() {
        return granted != null && !invalid && granted.isValid() && acquiredBy().isOpen();
    }

    @Override
    public void release() throws IOException {
        if (!acquiredBy().isOpen()) {
            throw new ClosedChannelException();
        }
        RemoteLock held = end();
        if (held == null) {
            return;
        }
        try {
            NfsFileLock unused = Interrupts.deferred(() -> {
                held.close(); // behind what was written: whoever locks next sees it
                return this;
            });
        } catch (IOException e) {
            throw Failures.about(file.path(), e);
        } finally {
            file.unlocked(this);
            file.shared().unreserve(this);
        }
    }

    /** What is to be given back; null where it was before. */
    private synchronized RemoteLock end() {
        RemoteLock held = invalid ? null : granted;
        invalid = true;
        return held;
    }
}
