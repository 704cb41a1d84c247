package io.verbena.nfs.transfer.internal.remote;

import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.MountSuccessors;
import io.verbena.nfs.transfer.internal.failure.MountReplacements;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A mount, and the mounts that replace it. A call that fails because the mount was replaced is repeated on the next
 * mount. Several threads may use a sequence at the same time. Each thread waits for the next mount, and an interrupt
 * ends the wait.
 */
public final class MountSequence {
    /**
     * The largest number of replacements during one call. The limit ends a transfer whose mount is replaced over and
     * over.
     */
    private static final int MAX_REPLACEMENTS = 10;

    /** A call that returns a result from a mount. */
    @FunctionalInterface
    public interface Call<T> {
        T on(Mount mount) throws IOException;
    }

    /** A change on a mount. */
    @FunctionalInterface
    public interface Change {
        void on(Mount mount) throws IOException;
    }

    /** A call or change on a mount. The previous mount may have carried out the change already. */
    @FunctionalInterface
    private interface Attempt<T> {
        T on(Mount mount, Doubt doubt) throws IOException;
    }

    /** Whether an earlier attempt may have been carried out. Once there is a doubt, it stays. */
    private static final class Doubt {
        private boolean isOpen;

        void notice(IOException failure) {
            isOpen |= MountReplacements.isUndecided(failure);
        }
    }

    private final MountSuccessors next;
    private final List<Mount> successors = new CopyOnWriteArrayList<>();
    private volatile Mount mount;

    public MountSequence(MountSuccessors next, Mount mount) {
        this.next = next;
        this.mount = mount;
    }

    /** Returns the current mount. */
    public Mount now() {
        return mount;
    }

    /** Returns the mounts that replaced the original mount so far, in their order. */
    public List<Mount> successors() {
        return List.copyOf(successors);
    }

    /**
     * Calls the mount, and repeats the call on the next mount if necessary. The call must be harmless if it is carried
     * out twice.
     */
    public <T> T call(Call<T> call) throws IOException {
        return attempt((on, doubt) -> call.on(on));
    }

    /** Runs a change as {@link #call} does, without a result. */
    public void run(Change change) throws IOException {
        attempt((on, doubt) -> {
            change.on(on);
            return null;
        });
    }

    /**
     * Runs a change that must not be carried out twice. If it is not known whether the server has carried out the
     * change, the result is checked first.
     *
     * @param isDone returns whether the mount shows the result of the change
     */
    public void runOnce(Change change, Call<Boolean> isDone) throws IOException {
        attempt((on, doubt) -> {
            if (doubt.isOpen && isDone.on(on)) {
                return null;
            }
            try {
                change.on(on);
            } catch (FileSystemException e) {
                doubt.notice(e);
                // The server may have carried out the earlier request only after the check.
                if (!doubt.isOpen || !isDone.on(on)) {
                    throw e;
                }
            }
            return null;
        });
    }

    private <T> T attempt(Attempt<T> attempt) throws IOException {
        Doubt doubt = new Doubt();
        for (int replacements = 0; ; replacements++) {
            Mount present = mount;
            try {
                return attempt.on(present, doubt);
            } catch (IOException e) {
                if (MountReplacements.of(e).isEmpty()) {
                    throw e;
                }
                if (replacements == MAX_REPLACEMENTS) {
                    throw after(e, new IOException("mount '" + present.name() + "' is replaced over and over"));
                }
                doubt.notice(e);
                awaitSuccessor(present, e);
            }
        }
    }

    private synchronized void awaitSuccessor(Mount gone, IOException failure) throws IOException {
        if (mount != gone) {
            return;
        }
        try {
            mount = next.successor(gone);
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

    /**
     * Returns the final failure of a call. The earlier failure is suppressed in it rather than its cause. As a cause it
     * would make the final failure look like a replacement after which the call continues.
     */
    private static IOException after(IOException before, IOException last) {
        last.addSuppressed(before);
        return last;
    }
}
