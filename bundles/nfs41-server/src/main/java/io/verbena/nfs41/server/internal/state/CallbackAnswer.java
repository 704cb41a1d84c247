package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import java.io.IOException;

/**
 * What a client has answered.
 *
 * @param sequence the status of CB_SEQUENCE
 * @param result of CB_SEQUENCE; null where that failed
 * @param operation the status of the operation behind it
 */
record CallbackAnswer(Status sequence, CbSequence.Result result, Status operation) {
    /** CB_SEQUENCE and the operation behind it. */
    static final int OPERATIONS = 2;

    /**
     * @throws IOException where it cannot be read, or claims to have succeeded without all that was asked for
     */
    static CallbackAnswer decode(XdrReader results, Callback callback) throws IOException {
        Compound.Result head = Compound.decodeResult(results);
        if (head.status().isOk() && head.operations() < OPERATIONS) {
            throw new XdrException(
                    "success with " + head.operations() + " results of " + OPERATIONS, results.position() - 4);
        }
        if (head.operations() == 0) {
            return new CallbackAnswer(head.status(), null, head.status());
        }
        Status sequence = CbCompound.decodeStatus(results, Opcode.CB_SEQUENCE);
        if (!sequence.isOk()) {
            return new CallbackAnswer(sequence, null, sequence);
        }
        CbSequence.Result result = CbSequence.decodeResult(results);
        Status operation = head.operations() == 1 ? head.status() : CbCompound.decodeStatus(results, callback.opcode());
        return new CallbackAnswer(sequence, result, operation);
    }
}
