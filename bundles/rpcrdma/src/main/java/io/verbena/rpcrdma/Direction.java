package io.verbena.rpcrdma;

/** Whether a message carries an RPC call or a reply, according to its header. */
public enum Direction {
    CALL,
    REPLY,
    /** The header does not tell. Version One headers have no direction; only the RPC message tells it. */
    UNKNOWN
}
