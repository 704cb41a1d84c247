package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.UndecidedException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Whether the server may have executed an operation already of which no answer came. Once there is a doubt it stays,
 * whatever later attempts say. Belongs to one thread.
 */
public final class Doubt {
    private boolean open;

    /** Whether an earlier attempt may have been executed. */
    public boolean isOpen() {
        return open;
    }

    void notice(IOException failure) {
        open |= failure instanceof UndecidedException
                || Failures.replacement(failure)
                        .filter(MountReplacedException::isUndecided)
                        .isPresent();
    }

    /** The failure to report: that a name exists, or does not, may be the effect of an earlier attempt. */
    FileSystemException about(Path path, FileSystemException failure) {
        boolean exists = failure instanceof FileAlreadyExistsException;
        if (!open || !(exists || failure instanceof NoSuchFileException)) {
            return failure;
        }
        UndecidedException undecided = undecided(path, exists ? "NFS4ERR_EXIST" : "NFS4ERR_NOENT");
        undecided.initCause(failure);
        return undecided;
    }

    /** @param status what the server answers now */
    static UndecidedException undecided(Path path, String status) {
        return new UndecidedException(
                path.toString(),
                status,
                "the mount was replaced before the server had answered: whether this call has done it is not known");
    }
}
