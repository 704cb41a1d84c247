package io.verbena.nfs41.server.internal.callback;

import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrWriter;
import java.util.List;

/** A callback operation that the server sends in a CB_COMPOUND of its own. Its methods never block. */
public interface Callback {
    /** The number of the operation. */
    int opcode();

    /** Writes the operation with its number. */
    void encodeArgs(XdrWriter out);

    /** Requests of the client that the callback refers to and whose replies the client may not have yet. */
    List<CbSequence.ReferringCallList> referrals();

    /** Whether it is still needed. Called before it is sent for the first time; takes no lock. */
    boolean isWanted();

    /** The client has answered. Any thread. */
    void answered(Status status);

    /** There will be no answer. Any thread. */
    void failed();
}
