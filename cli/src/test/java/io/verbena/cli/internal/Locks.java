package io.verbena.cli.internal;

import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The locks of a {@link DirectoryMount}'s server: every open file is an owner of its own. */
final class Locks {
    private final List<Held> all = new ArrayList<>();

    private final class Held implements RemoteLock {
        private final RemoteFile owner;
        private final long position;
        private final long size;
        private final boolean shared;

        Held(RemoteFile owner, long position, long size, boolean shared) {
            this.owner = owner;
            this.position = position;
            this.size = size;
            this.shared = shared;
        }

        private boolean conflicts(Held other) {
            return owner != other.owner
                    && owner.path().equals(other.owner.path())
                    && !(shared && other.shared)
                    && position < end(other)
                    && other.position < end(this);
        }

        private static long end(Held lock) {
            return lock.size == Long.MAX_VALUE ? Long.MAX_VALUE : lock.position + lock.size;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public boolean isShared() {
            return shared;
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public void onLost(Consumer<IOException> action) {}

        @Override
        public void close() {
            release(this);
        }
    }

    synchronized Optional<RemoteLock> tryLock(RemoteFile owner, long position, long size, boolean shared, Duration wait)
            throws InterruptedIOException {
        Held wanted = new Held(owner, position, size, shared);
        long deadline = System.nanoTime() + wait.toNanos();
        while (all.stream().anyMatch(wanted::conflicts)) {
            long leftMillis = (deadline - System.nanoTime()) / 1_000_000;
            if (leftMillis <= 0) {
                return Optional.empty();
            }
            try {
                wait(leftMillis);
            } catch (InterruptedException e) {
                throw (InterruptedIOException) new InterruptedIOException("interrupted").initCause(e);
            }
        }
        all.add(wanted);
        return Optional.of(wanted);
    }

    synchronized boolean isLocked(RemoteFile owner, long position, long size, boolean shared) {
        return all.stream().anyMatch(new Held(owner, position, size, shared)::conflicts);
    }

    private synchronized void release(Held lock) {
        all.remove(lock);
        notifyAll();
    }
}
