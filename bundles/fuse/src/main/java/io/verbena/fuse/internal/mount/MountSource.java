package io.verbena.fuse.internal.mount;

import io.verbena.nfs.Mount;
import java.io.IOException;

/** Where a mount of the server comes from, and the one that replaces it. Thread safe. */
public interface MountSource {
    /** The present mount. */
    Mount get() throws IOException;

    /** Waits, for a bounded time, for the mount that replaces {@code gone}. */
    Mount successor(Mount gone) throws IOException;
}
