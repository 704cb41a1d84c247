package io.verbena.nfs41.client.internal.write;

import io.verbena.memory.BufferLease;

/**
 * A lease that the chunks of one write share. The last release closes it. Guarded by {@link WriteBack}, which it does
 * not know.
 */
final class SharedLease {
    private final BufferLease lease;
    private int users = 1;

    /** One use, which {@link #release} ends. */
    SharedLease(BufferLease lease) {
        this.lease = lease;
    }

    BufferLease lease() {
        return lease;
    }

    SharedLease use() {
        users++;
        return this;
    }

    void release() {
        users--;
        if (users == 0) {
            lease.close();
        }
    }
}
