package io.verbena.verbs;

/** The access that a peer has to registered memory. */
public enum Access {
    /** No access: the memory serves local posts only. */
    LOCAL,
    /** RDMA Read. */
    REMOTE_READ,
    /** RDMA Write. */
    REMOTE_WRITE
}
