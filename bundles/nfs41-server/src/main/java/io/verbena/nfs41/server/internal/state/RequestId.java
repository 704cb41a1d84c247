package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.SessionId;
import java.util.List;

/**
 * A request of a client's, by what its SEQUENCE said.
 *
 * @param slot the slot that it is in, or was in
 */
public record RequestId(SessionId session, Slot slot, int slotId, int sequenceId) {
    /**
     * Names the request in a callback that has to do with it, as long as the client may not have seen its reply: the
     * slot's next request tells that it has (RFC 8881 section 2.10.6.3).
     */
    List<CbSequence.ReferringCallList> referral() {
        if (slot.sequenceId() != sequenceId) {
            return List.of();
        }
        return List.of(
                new CbSequence.ReferringCallList(session, List.of(new CbSequence.ReferringCall(sequenceId, slotId))));
    }
}
