package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.Mount;
import java.io.IOException;

/** The source of a file system's mount. Thread safe; an interrupt ends a wait. */
public interface MountSource {
    /** The mount to use now; waits for one that is about to come. */
    Mount get() throws IOException;

    /**
     * The mount that replaced {@code gone}; waits for it.
     *
     * @throws IOException if no mount replaces it
     */
    Mount successor(Mount gone) throws IOException;

    /** Whether a mount can be replaced. */
    boolean isReplaceable();

    /** Closes the mount if it belongs to the file system, which is closed. */
    void close();
}
