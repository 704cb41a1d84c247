package io.verbena.nfs41.server.internal.session;

import io.verbena.nfs41.CbSequence;
import io.verbena.nfs41.SessionId;
import java.util.List;

/**
 * The identity of a client's request, from its SEQUENCE.
 *
 * @param slot the slot of the request
 */
public record RequestId(SessionId session, Slot slot, int slotId, int sequenceId) {
    /**
     * Names the request in a callback that refers to it (RFC 8881 section 2.10.6.3), as long as the client may not have
     * its reply. The next request in the slot proves that it has.
     */
    public List<CbSequence.ReferringCallList> referral() {
        if (slot.sequenceId() != sequenceId) {
            return List.of();
        }
        return List.of(
                new CbSequence.ReferringCallList(session, List.of(new CbSequence.ReferringCall(sequenceId, slotId))));
    }
}
