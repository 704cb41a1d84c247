package io.verbena.nfs41.client.internal.file;

import io.verbena.nfs41.Open;
import io.verbena.nfs41.StableHow;

/**
 * The options of an open file in terms of OPEN.
 *
 * @param read whether it can be read
 * @param write whether it can be written
 * @param append whether its channel writes at the end
 * @param truncate whether its content is dropped
 * @param creation whether the file is created
 * @param stable the stability of data when a write returns
 */
record OpenModes(boolean read, boolean write, boolean append, boolean truncate, Creation creation, StableHow stable) {
    /** When a file is created. */
    enum Creation {
        NEVER,
        WHERE_MISSING,
        /** Created; the open fails where the file exists. */
        ALWAYS
    }

    /** {@code share_access}. */
    int access() {
        return (read ? Open.SHARE_ACCESS_READ : 0) | (write ? Open.SHARE_ACCESS_WRITE : 0);
    }
}
