package io.verbena.rpcrdma.v2.internal;

/** The numbers of RPC-over-RDMA Version Two (draft-cel-nfsv4-rpcrdma-version-two-01 section 4.2). */
final class VersionTwoNumbers {
    static final int VERSION = 2;

    /** The inline threshold that every receiver supports, in octets (section 2.3). */
    static final int INLINE_THRESHOLD = 4096;

    // rpcrdma2_proc
    static final int RDMA2_MSG = 0;
    static final int RDMA2_NOMSG = 1;
    static final int RDMA2_ERROR = 4;
    static final int RDMA2_OPTIONAL = 5;

    // rpcrdma2_errcode
    static final int RDMA2_ERR_VERS = 1;
    static final int RDMA2_ERR_BAD_HEADER = 2;
    static final int RDMA2_ERR_INVAL_OPTION = 3;

    // msg_type (RFC 5531 section 9)
    static final int CALL = 0;
    static final int REPLY = 1;

    private VersionTwoNumbers() {}
}
