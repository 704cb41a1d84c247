package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Open;
import io.verbena.nfs41.StableHow;

/**
 * What a file was opened for.
 *
 * @param read whether it can be read
 * @param write whether it can be written
 * @param append whether its channel writes at the end
 * @param truncate whether what was in it goes
 * @param creation whether it is created
 * @param stable how safe written data is before a write returns
 */
record OpenModes(boolean read, boolean write, boolean append, boolean truncate, Creation creation, StableHow stable) {
    /** When a file is created. */
    enum Creation {
        NEVER,
        WHERE_MISSING,
        /** And the open fails where there is one. */
        ALWAYS
    }

    /** {@code share_access}. */
    int access() {
        return (read ? Open.SHARE_ACCESS_READ : 0) | (write ? Open.SHARE_ACCESS_WRITE : 0);
    }
}
