package io.verbena.nfs.nio.internal;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * A mount, and those that take its place when it is replaced: what is called meanwhile is called again on the next one.
 * May be used from several threads at once.
 */
final class Remote {
    /** So often at most for one call, so that where a mount is replaced over and over it ends. */
    static final int MAX_REPLACEMENTS = 10;

    private final MountSource source;
    private volatile Mount mount;
    private volatile boolean closed;

    Remote(MountSource source) {
        this.source = source;
    }

    /** Something asked of a mount. */
    @FunctionalInterface
    interface Call<T> {
        T on(Mount mount) throws IOException;
    }

    /** Something done to a mount. */
    @FunctionalInterface
    interface Change {
        void on(Mount mount) throws IOException;
    }

    /** Something asked of or done to a mount, which may have been done to the one before. */
    @FunctionalInterface
    interface Attempt<T> {
        T on(Mount mount, boolean mayBeDone) throws IOException;
    }

    boolean isReplaceable() {
        return source.isReplaceable();
    }

    /** The one to use now. */
    Mount now() throws IOException {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        Mount present = mount;
        return present == null ? first() : present;
    }

    /** The one that was used last, as far as is known; null before the first. */
    Mount present() {
        return mount;
    }

    private synchronized Mount first() throws IOException {
        if (mount == null) {
            mount = source.get();
        }
        return mount;
    }

    /** What took the place of one that was replaced, which is waited for. */
    synchronized Mount successor(Mount gone) throws IOException {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        if (mount == gone) {
            mount = source.successor(gone);
        }
        return mount;
    }

    /** Asks, or does what does no harm when it is done again. */
    <T> T call(NfsPath path, Call<T> call) throws IOException {
        return attempt(path, null, (on, mayBeDone) -> call.on(on));
    }

    /**
     * Does what must not be done again: where it is not known whether the server has done it, it is looked at first.
     *
     * @param other the second path, or null
     * @param isDone whether it looks as it does when it is done
     */
    void change(NfsPath path, Path other, Change change, Call<Boolean> isDone) throws IOException {
        attempt(path, other, (on, mayBeDone) -> {
            if (mayBeDone && isDone.on(on)) {
                return null;
            }
            try {
                change.on(on);
            } catch (FileSystemException e) {
                // the server may have got around to it only after it was looked at
                if (!mayBeDone || !isDone.on(on)) {
                    throw e;
                }
            }
            return null;
        });
    }

    /**
     * Does what knows itself what it is that must not be done again.
     *
     * @param other the second path, or null
     */
    <T> T attempt(NfsPath path, Path other, Attempt<T> attempt) throws IOException {
        return Interrupts.deferred(() -> attemptNow(path, other, attempt));
    }

    private <T> T attemptNow(NfsPath path, Path other, Attempt<T> attempt) throws IOException {
        boolean mayBeDone = false;
        for (int replacements = 0; ; replacements++) {
            Mount present = now();
            try {
                return attempt.on(present, mayBeDone);
            } catch (IOException e) {
                MountReplacedException replaced = Failures.replacement(e).orElse(null);
                if (replaced == null || !source.isReplaceable() || replacements == MAX_REPLACEMENTS || closed) {
                    throw Failures.about(path, other, e);
                }
                mayBeDone |= replaced.isUndecided();
                Mount unused = successor(present);
            }
        }
    }

    void close() {
        closed = true;
        source.close();
    }
}
