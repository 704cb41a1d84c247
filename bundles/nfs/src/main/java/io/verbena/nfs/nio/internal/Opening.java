package io.verbena.nfs.nio.internal;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;

/** Opens a file on a mount, or on what takes its place: what came of it. */
record Opening(Mount mount, RemoteFile file, FileKey key) {
    /** Once: what it makes or truncates is not made or truncated again where the mount is replaced behind that. */
    static Opening of(NfsFileSystem fileSystem, NfsPath path, Options.Open options, int mode) throws IOException {
        Remote remote = fileSystem.remote();
        Made made = remote.attempt(path, null, (mount, mayBeDone) -> make(mount, path, options, mode, mayBeDone));
        try {
            return Interrupts.deferred(() -> opened(made.mount(), made.file()));
        } catch (IOException e) {
            if (Failures.replacement(e).isEmpty() || !remote.isReplaceable()) {
                throw Failures.about(path, e);
            }
            return Interrupts.deferred(() -> again(fileSystem, path, options, made.mount()));
        }
    }

    /** A file that is open, by OPEN alone. */
    private record Made(Mount mount, RemoteFile file) {}

    private static Made make(Mount mount, NfsPath path, Options.Open options, int mode, boolean mayBeDone)
            throws IOException {
        try {
            return new Made(mount, mount.open(path.remote(), options.first(), mode));
        } catch (FileAlreadyExistsException e) {
            if (!mayBeDone) {
                throw e;
            }
            FileAlreadyExistsException undecided = new FileAlreadyExistsException(
                    path.toString(),
                    null,
                    "the mount was replaced while it was being made: whether this call has made it is not known");
            undecided.initCause(e);
            throw undecided;
        }
    }

    private static Opening opened(Mount mount, RemoteFile file) throws IOException {
        try {
            return new Opening(mount, file, FileKey.of(file.attributes()));
        } catch (IOException | RuntimeException e) {
            closeAfter(file, e);
            throw e;
        }
    }

    static void closeAfter(RemoteFile file, Exception failure) {
        try {
            file.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Opens it on what took the place of a mount; without what makes or truncates it. */
    static Opening again(NfsFileSystem fileSystem, NfsPath path, Options.Open options, Mount gone) throws IOException {
        String remote = path.remote();
        Mount next = fileSystem.remote().successor(gone);
        for (int replacements = 0; ; replacements++) {
            try {
                return opened(next, next.open(remote, options.again(), 0));
            } catch (IOException e) {
                if (Failures.replacement(e).isEmpty() || replacements == Remote.MAX_REPLACEMENTS) {
                    throw Failures.about(path, e);
                }
                next = fileSystem.remote().successor(next);
            }
        }
    }
}
