package io.verbena.rpcrdma;

/** What an RPC-over-RDMA message is ({@code rdma_proc}; RFC 8166 section 4.2.4). */
public enum MessageType {
    /** The RPC message, or what chunks leave of it, follows the header. */
    MSG,
    /** The whole RPC message is in a special chunk. */
    NOMSG,
    /** As {@link #MSG}, with alignment fields that nobody uses; received, never sent. Version One only. */
    MSGP,
    /** Of no meaning any more; dropped when received, never sent. Version One only. */
    DONE,
    /** The header of the message with the same XID could not be used. */
    ERROR,
    /** An optional operation. Version Two only. */
    OPTIONAL
}
