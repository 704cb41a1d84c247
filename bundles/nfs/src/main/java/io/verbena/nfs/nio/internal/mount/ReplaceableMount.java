package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * A mount, and the mounts that replace it: a call that a replacement interrupts is made again on the next mount. Thread
 * safe.
 */
public final class ReplaceableMount {
    /** How many replacements one call survives, so that it ends even if the mount is replaced over and over. */
    public static final int MAX_REPLACEMENTS = 10;

    private final MountSource source;
    private volatile Mount mount;
    private volatile boolean closed;

    public ReplaceableMount(MountSource source) {
        this.source = source;
    }

    /** A call that changes nothing, or changes the same when it is made again. */
    @FunctionalInterface
    public interface Call<T> {
        T on(Mount mount) throws IOException;
    }

    /** A call that must not be executed twice. */
    @FunctionalInterface
    public interface Change {
        void on(Mount mount) throws IOException;
    }

    /** A call that is told whether an earlier mount may have executed it already. */
    @FunctionalInterface
    public interface Attempt<T> {
        T on(Mount mount, boolean mayBeDone) throws IOException;
    }

    public boolean isReplaceable() {
        return source.isReplaceable();
    }

    /** The present mount; waits for the first one. */
    public Mount now() throws IOException {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        Mount present = mount;
        return present == null ? first() : present;
    }

    /** The mount that was used last; null before the first. */
    public Mount present() {
        return mount;
    }

    private synchronized Mount first() throws IOException {
        if (mount == null) {
            mount = source.get();
        }
        return mount;
    }

    /** Waits for the mount that replaces {@code gone}, and returns it. */
    public synchronized Mount successor(Mount gone) throws IOException {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        if (mount == gone) {
            mount = source.successor(gone);
        }
        return mount;
    }

    /** Makes a call that may be made again. */
    public <T> T call(Path path, Call<T> call) throws IOException {
        return attempt(path, null, (on, mayBeDone) -> call.on(on));
    }

    /**
     * Makes a call that must not be executed twice. If the server may have executed it, {@code isDone} decides whether
     * it is made again.
     *
     * @param other the second path, or null
     * @param isDone whether the server's files are as the call leaves them
     */
    public void change(Path path, Path other, Change change, Call<Boolean> isDone) throws IOException {
        attempt(path, other, (on, mayBeDone) -> {
            if (mayBeDone && isDone.on(on)) {
                return null;
            }
            try {
                change.on(on);
            } catch (FileSystemException e) {
                // the server may have executed the first call after isDone had looked
                if (!mayBeDone || !isDone.on(on)) {
                    throw e;
                }
            }
            return null;
        });
    }

    /**
     * Makes a call that decides itself which part must not be executed twice.
     *
     * @param other the second path, or null
     */
    public <T> T attempt(Path path, Path other, Attempt<T> attempt) throws IOException {
        return Interrupts.deferred(() -> attemptNow(path, other, attempt));
    }

    private <T> T attemptNow(Path path, Path other, Attempt<T> attempt) throws IOException {
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

    public void close() {
        closed = true;
        source.close();
    }
}
