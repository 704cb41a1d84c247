package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.Mounts;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A mount, and those that take its place when it is replaced: what is called meanwhile is called again on the next one.
 * May be used from several threads at once, each of which waits for the next mount; an interrupt ends that.
 */
final class ReplaceableMount {
    /** So often at most for one call, so that where a mount is replaced over and over a transfer ends. */
    private static final int MAX_REPLACEMENTS = 10;

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
    private interface Attempt<T> {
        T on(Mount mount, boolean mayBeDone) throws IOException;
    }

    private final Mounts mounts;
    private final List<Mount> successors = new CopyOnWriteArrayList<>();
    private volatile Mount mount;

    ReplaceableMount(Mounts mounts, Mount mount) {
        this.mounts = mounts;
        this.mount = mount;
    }

    /** The one to use now. */
    Mount now() {
        return mount;
    }

    /** What has taken the place of the first so far, one after the other. */
    List<Mount> successors() {
        return List.copyOf(successors);
    }

    /** Asks, or does what does no harm when it is done again. */
    <T> T call(Call<T> call) throws IOException {
        return attempt((on, mayBeDone) -> call.on(on));
    }

    /** As {@link #call}, without a result. */
    void run(Change change) throws IOException {
        attempt((on, mayBeDone) -> {
            change.on(on);
            return null;
        });
    }

    /**
     * Does what must not be done again: where it is not known whether the server has done it, it is looked at first.
     *
     * @param isDone whether it looks as it does when it is done
     */
    void runOnce(Change change, Call<Boolean> isDone) throws IOException {
        attempt((on, mayBeDone) -> {
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

    private <T> T attempt(Attempt<T> attempt) throws IOException {
        boolean mayBeDone = false;
        for (int replacements = 0; ; replacements++) {
            Mount present = mount;
            try {
                return attempt.on(present, mayBeDone);
            } catch (IOException e) {
                MountReplacedException replaced = replacement(e).orElseThrow(() -> e);
                if (replacements == MAX_REPLACEMENTS) {
                    throw after(e, new IOException("mount '" + present.name() + "' is replaced over and over"));
                }
                mayBeDone |= replaced.isUndecided();
                awaitSuccessor(present, e);
            }
        }
    }

    /** The failure that says that a mount was replaced, where that is what another comes from. */
    static Optional<MountReplacedException> replacement(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof MountReplacedException replaced) {
                return Optional.of(replaced);
            }
        }
        return Optional.empty();
    }

    /** Whether a failure comes from a mount that was replaced in vain: no other took its place for good. */
    static boolean hasGivenUp(Throwable failure) {
        if (replacement(failure).isPresent()) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Throwable before : cause.getSuppressed()) {
                if (replacement(before).isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }

    private synchronized void awaitSuccessor(Mount gone, IOException failure) throws IOException {
        if (mount != gone) {
            return;
        }
        try {
            mount = mounts.successor(gone);
            successors.add(mount);
        } catch (IOException e) {
            throw after(failure, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** A failure that ends it: what came before must not be its cause, or it would be taken for one to go on after. */
    private static IOException after(IOException before, IOException last) {
        last.addSuppressed(before);
        return last;
    }
}
