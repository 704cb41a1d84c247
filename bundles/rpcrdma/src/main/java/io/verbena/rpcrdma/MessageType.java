package io.verbena.rpcrdma;

/** The type of an RPC-over-RDMA message ({@code rdma_proc}; RFC 8166 section 4.2.4). */
public enum MessageType {
    /** The RPC message, without the parts in chunks, follows the header. */
    MSG,
    /** The whole RPC message is in a special chunk. */
    NOMSG,
    /** Like {@link #MSG}, with unused alignment fields; received, never sent. Version One only. */
    MSGP,
    /** Obsolete; dropped when received, never sent. Version One only. */
    DONE,
    /** The header of the message with the same XID was invalid. */
    ERROR,
    /** An optional operation. Version Two only. */
    OPTIONAL
}
