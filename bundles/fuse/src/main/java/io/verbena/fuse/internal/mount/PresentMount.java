package io.verbena.fuse.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;

/** The mount that carries a mount of this host now: a call that a replacement interrupts is made again. Thread safe. */
public final class PresentMount {
    /** How many replacements one call survives. */
    private static final int MAX_REPLACEMENTS = 10;

    private final MountSource source;

    @GuardedBy("this")
    private Mount mount;

    public PresentMount(MountSource source) throws IOException {
        this.source = source;
        this.mount = source.get();
    }

    /** A call that may be made again. */
    @FunctionalInterface
    public interface Call<T> {
        T on(Mount mount) throws IOException;
    }

    /** A call that changes names. */
    @FunctionalInterface
    interface Change {
        void on(Mount mount) throws IOException;
    }

    /** Looks at the server's names after a change that may be done. */
    @FunctionalInterface
    interface Look {
        /**
         * Whether the change is done; if not, it is made again.
         *
         * @throws IOException if it must not be made again
         */
        boolean isDone(Mount mount) throws IOException;
    }

    public synchronized Mount now() {
        return mount;
    }

    /** Waits for the mount that has replaced {@code gone}. */
    public Mount successor(Mount gone) throws IOException {
        synchronized (this) {
            if (mount != gone) {
                return mount;
            }
        }
        Mount next = source.successor(gone);
        synchronized (this) {
            if (mount == gone) {
                mount = next;
            }
            return mount;
        }
    }

    /** Makes a call, and again after each replacement. */
    public <T> T call(Call<T> call) throws IOException {
        for (int replacements = 0; ; replacements++) {
            Mount present = now();
            try {
                return call.on(present);
            } catch (IOException e) {
                if (replacement(e).isEmpty() || replacements == MAX_REPLACEMENTS) {
                    throw e;
                }
                Mount unused = successor(present);
            }
        }
    }

    /** Makes a call that changes names. Where the answer to an earlier attempt is missing, the look comes first. */
    void change(Change change, Look look) throws IOException {
        boolean isInDoubt = false;
        for (int replacements = 0; ; replacements++) {
            Mount present = now();
            try {
                attempt(present, change, look, isInDoubt);
                return;
            } catch (IOException e) {
                Optional<MountReplacedException> replaced = replacement(e);
                if (replaced.isEmpty() || replacements == MAX_REPLACEMENTS) {
                    throw e;
                }
                isInDoubt |= replaced.get().isUndecided();
                Mount unused = successor(present);
            }
        }
    }

    private static void attempt(Mount on, Change change, Look look, boolean isInDoubt) throws IOException {
        if (isInDoubt && look.isDone(on)) {
            return;
        }
        try {
            change.on(on);
        } catch (FileSystemException e) {
            // the server may have executed the first call after the look
            if (!isInDoubt || !look.isDone(on)) {
                throw e;
            }
        }
    }

    /** The cause of a failure that says that the mount was replaced; empty if there is none. */
    public static Optional<MountReplacedException> replacement(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof MountReplacedException replaced) {
                return Optional.of(replaced);
            }
        }
        return Optional.empty();
    }
}
