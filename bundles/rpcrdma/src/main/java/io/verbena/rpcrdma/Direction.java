package io.verbena.rpcrdma;

/** Whether a message carries an RPC call or a reply, as far as its header tells. */
public enum Direction {
    CALL,
    REPLY,
    /** The header does not tell: every Version One header, where the RPC message itself has to be asked. */
    UNKNOWN
}
