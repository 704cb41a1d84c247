package io.verbena.nfs.nio.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs.nio.internal.mount.Interrupts;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;

/** A byte-range lock that the server has granted, or that is being requested. */
public final class NfsFileLock extends FileLock {
    private final OpenFile file;

    @GuardedBy("this")
    private RemoteLock granted;

    @GuardedBy("this")
    private boolean invalid;

    public NfsFileLock(FileChannel channel, OpenFile file, long position, long size, boolean shared) {
        super(channel, position, size, shared);
        this.file = file;
    }

    public NfsFileLock(AsynchronousFileChannel channel, OpenFile file, long position, long size, boolean shared) {
        super(channel, position, size, shared);
        this.file = file;
    }

    synchronized void grant(RemoteLock lock) {
        granted = lock;
        lock.onLost(why -> file.shared().unreserve(this)); // another owner may hold the range from now on
    }

    /** Makes the lock invalid: its channel was closed, or its mount was replaced. */
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
                file.release(this, held);
                return this;
            });
        } finally {
            file.shared().unreserve(this);
        }
    }

    /** Ends the lock. Returns the server's lock to release, or null if there is none any more. */
    private synchronized RemoteLock end() {
        RemoteLock held = invalid ? null : granted;
        invalid = true;
        return held;
    }
}
