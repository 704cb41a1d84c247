package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opaque;

/** The callbacks about locks. Called on the connection's receive thread: never blocks. */
public interface LockCallbacks {
    /** CB_NOTIFY_LOCK (RFC 8881 section 20.11): a lock of that owner may be granted now. A hint, nothing more. */
    void hint(FileHandle file, Opaque owner);
}
