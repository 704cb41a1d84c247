package io.verbena.rpcrdma.v1.internal;

/** The numbers of RPC-over-RDMA Version One (RFC 8166 section 4.1). */
final class VersionOneNumbers {
    static final int VERSION = 1;

    /** The inline threshold that every receiver supports, in octets (RFC 8166 section 3.3.3). */
    static final int INLINE_THRESHOLD = 1024;

    // rdma_proc (RFC 8166 section 4.2.4)
    static final int RDMA_MSG = 0;
    static final int RDMA_NOMSG = 1;
    static final int RDMA_MSGP = 2;
    static final int RDMA_DONE = 3;
    static final int RDMA_ERROR = 4;

    // rdma_err (RFC 8166 section 4.5)
    static final int ERR_VERS = 1;
    static final int ERR_CHUNK = 2;

    private VersionOneNumbers() {}
}
