package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrWriter;
import java.util.List;

/** An operation of the client's that the server asks for, in a CB_COMPOUND of its own. Its methods never block. */
interface Callback {
    /** Its number. */
    int opcode();

    /** Writes the operation with its number. */
    void encodeArgs(XdrWriter out);

    /** Requests of the client's that it has to do with and whose replies may be on their way still. */
    List<CbSequence.ReferringCallList> referrals();

    /** Whether it is still of use; asked before it is sent for the first time, and takes no lock. */
    boolean isWanted();

    /** The client has answered. Any thread. */
    void answered(Status status);

    /** It will not be answered. Any thread. */
    void failed();
}
