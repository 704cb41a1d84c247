package io.verbena.verbs;

/** What a peer may do with registered memory. */
public enum Access {
    /** Nothing: the memory serves local posts only. */
    LOCAL,
    /** RDMA Read. */
    REMOTE_READ,
    /** RDMA Write. */
    REMOTE_WRITE
}
