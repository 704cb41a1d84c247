package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.CreateVerifier;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

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

    /** What the server's files tell about an earlier attempt of a change. */
    public enum Finding {
        /** They are as the change leaves them. */
        DONE,
        /** They are as before the change, which may be made again. */
        NOT_DONE,
        /** Another object has the name, or one that may be of another process: the change is not made again. */
        ANOTHER_OBJECT
    }

    /** A call that is told whether an earlier attempt may have been executed already. */
    @FunctionalInterface
    private interface Attempt<T> {
        T on(Mount mount, Doubt doubt) throws IOException;
    }

    /**
     * An open file, and the mount by which it is open.
     *
     * @param file of which OPEN was answered; nothing else was asked of it
     */
    public record Opened(Mount mount, RemoteFile file) {}

    /**
     * A place at which to open a file.
     *
     * @param path on the mount
     * @param follows whether a symbolic link at the path's end is followed
     * @param directory the directory that holds the name, as it was seen; null for whichever the path leads to
     */
    public record Place(String path, boolean follows, FileKey directory) {
        /** In a directory that was seen, a link to follow is one that was there. */
        private boolean leadsOn(Mount on, Set<? extends OpenOption> options) throws IOException {
            boolean isNew = options.stream().anyMatch(CreateVerifier.class::isInstance);
            return follows && (directory == null || (!isNew && isLink(on)));
        }

        private boolean isLink(Mount on) throws IOException {
            try {
                return on.attributes(path, directory).isSymbolicLink();
            } catch (NoSuchFileException e) {
                return false;
            }
        }
    }

    /** Opens a file. */
    public static RemoteFile open(Mount on, Place at, Set<? extends OpenOption> options, int mode) throws IOException {
        return at.leadsOn(on, options)
                ? on.open(at.path(), options, mode)
                : on.open(at.path(), at.directory(), options, mode);
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

    private Mount first() throws IOException {
        return set(null, source.get());
    }

    /** Waits for the mount that replaces {@code gone}, and returns it. */
    public Mount successor(Mount gone) throws IOException {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        Mount present = mount;
        return present == gone ? set(gone, source.successor(gone)) : present;
    }

    /** Sets the mount, unless another thread has done so since. No thread waits for the source under the lock. */
    private synchronized Mount set(Mount gone, Mount next) {
        if (mount == gone) {
            mount = next;
        }
        return mount;
    }

    /** Makes a call that may be made again. */
    public <T> T call(Path path, Call<T> call) throws IOException {
        return attempt(path, null, (on, doubt) -> call.on(on));
    }

    /**
     * Makes a call that must not be executed twice. If the server may have executed it, {@code look} decides whether it
     * is made again.
     *
     * @param other the second path, or null
     * @param look looks at the server's files
     * @throws UndecidedException if an earlier attempt may have had the effect that the last one fails of, or if
     *     another object has the name after it
     */
    public void change(Path path, Path other, Change change, Call<Finding> look) throws IOException {
        attempt(path, other, (on, doubt) -> {
            if (doubt.isOpen() && isDone(path, look.on(on))) {
                return null;
            }
            try {
                change.on(on);
            } catch (FileSystemException e) {
                doubt.notice(e);
                // the server may have executed the first call after the look
                if (!doubt.isOpen() || look.on(on) != Finding.DONE) {
                    throw doubt.about(path, e);
                }
            }
            return null;
        });
    }

    private static boolean isDone(Path path, Finding found) throws UndecidedException {
        if (found == Finding.ANOTHER_OBJECT) {
            throw Doubt.undecided(path, "NFS4ERR_EXIST");
        }
        return found == Finding.DONE;
    }

    /**
     * As {@link #change}, of an object that cannot be told from one that another process makes at the same time.
     *
     * @throws UndecidedException also if the server has forgotten the client before it had answered, and the name is
     *     taken
     */
    public void create(Path path, Change creation, Call<Finding> look) throws IOException {
        attempt(path, null, (on, doubt) -> {
            if (doubt.isOpen() && isDone(path, look.on(on))) {
                return null;
            }
            try {
                creation.on(on);
            } catch (UndecidedException e) {
                throw e;
            } catch (FileSystemException e) {
                // the server may have executed the first call after the look
                if (!doubt.isOpen() || look.on(on) != Finding.DONE) {
                    throw doubt.about(path, e);
                }
            }
            return null;
        });
    }

    /**
     * Opens a file. A file that CREATE_NEW makes is found again where the mount is replaced before the server has
     * answered, by the verifier that goes with each attempt.
     *
     * @param at where to open it
     * @param verifier a random number
     * @throws UndecidedException if the server no longer knows the verifier, and the file may be of this call
     */
    public Opened open(Path path, Place at, Set<? extends OpenOption> options, int mode, long verifier)
            throws IOException {
        Set<OpenOption> own = new HashSet<>(options);
        if (own.remove(StandardOpenOption.CREATE_NEW)) {
            own.add(new CreateVerifier(verifier));
        }
        return attempt(path, null, (on, doubt) -> {
            try {
                return new Opened(on, open(on, at, own, mode));
            } catch (FileAlreadyExistsException e) {
                throw doubt.about(path, e);
            }
        });
    }

    private <T> T attempt(Path path, Path other, Attempt<T> attempt) throws IOException {
        return Interrupts.deferred(() -> attemptNow(path, other, attempt));
    }

    private <T> T attemptNow(Path path, Path other, Attempt<T> attempt) throws IOException {
        Doubt doubt = new Doubt();
        for (int replacements = 0; ; replacements++) {
            Mount present = now();
            try {
                return attempt.on(present, doubt);
            } catch (IOException e) {
                boolean replaced = Failures.replacement(e).isPresent();
                if (!replaced || !source.isReplaceable() || replacements == MAX_REPLACEMENTS || closed) {
                    throw Failures.about(path, other, e);
                }
                doubt.notice(e);
                awaitSuccessor(present, e);
            }
        }
    }

    private void awaitSuccessor(Mount gone, IOException failure) throws IOException {
        try {
            Mount unused = successor(gone);
        } catch (IOException e) {
            e.addSuppressed(failure); // it tells whether the call was executed
            throw e;
        }
    }

    public void close() {
        closed = true;
        source.close();
    }
}
