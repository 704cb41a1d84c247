package io.verbena.nfs.nio.internal.file;

import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.Interrupts;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;

/** A file that was opened on a mount, or on the mount that replaced it. */
public record OpenResult(Mount mount, RemoteFile file, FileKey key) {
    /**
     * Opens the file, and creates or truncates it once: if the mount is replaced after OPEN, the next OPEN does
     * neither.
     */
    static OpenResult of(NfsPath path, OpenOptions options, int mode) throws IOException {
        ReplaceableMount current = path.system().mount();
        long verifier = path.system().runtime().random().nextLong();
        ReplaceableMount.Opened made = current.open(path, place(path, options), options.first(), mode, verifier);
        try {
            return Interrupts.deferred(() -> opened(made.mount(), made.file()));
        } catch (IOException e) {
            if (Failures.replacement(e).isEmpty() || !current.isReplaceable()) {
                throw Failures.about(path, e);
            }
            return Interrupts.deferred(() -> again(path, options, made.mount()));
        }
    }

    private static ReplaceableMount.Place place(NfsPath path, OpenOptions options) {
        return new ReplaceableMount.Place(path.mountPath(), options.follows(), path.directory());
    }

    private static OpenResult opened(Mount mount, RemoteFile file) throws IOException {
        try {
            return new OpenResult(mount, file, FileKey.of(file.attributes()));
        } catch (Throwable e) {
            closeAfter(file, e);
            throw e;
        }
    }

    static void closeAfter(RemoteFile file, Throwable failure) {
        try {
            file.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Opens the file on the mount that replaced {@code gone}, without options that create or truncate. */
    static OpenResult again(NfsPath path, OpenOptions options, Mount gone) throws IOException {
        ReplaceableMount.Place at = place(path, options);
        ReplaceableMount current = path.system().mount();
        Mount next = current.successor(gone);
        for (int replacements = 0; ; replacements++) {
            try {
                return opened(next, ReplaceableMount.open(next, at, options.again(), 0));
            } catch (IOException e) {
                if (Failures.replacement(e).isEmpty() || replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                    throw Failures.about(path, e);
                }
                next = current.successor(next);
            }
        }
    }
}
