package io.verbena.nfs41.server.internal.callback;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import java.io.IOException;

/**
 * A client's answer to a callback.
 *
 * @param sequence the status of CB_SEQUENCE
 * @param result the result of CB_SEQUENCE; null if that has failed
 * @param operation the status of the operation after it
 */
record CallbackAnswer(Status sequence, CbSequence.Result result, Status operation) {
    /** The number of operations: CB_SEQUENCE and one more. */
    static final int OPERATIONS = 2;

    /** @throws IOException if the answer cannot be decoded, or claims success without results of all operations */
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
