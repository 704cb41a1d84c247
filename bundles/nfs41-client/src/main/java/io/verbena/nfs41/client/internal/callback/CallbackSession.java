package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.SessionId;

/** The session of a callback, as the callback's operations see it. Thread safe. */
public interface CallbackSession {
    SessionId id();

    /** The slots of the session's back channel. */
    CallbackSlots callbacks();

    /** Whether a request of the fore channel with that slot and sequence number has no reply yet. */
    boolean isOutstanding(int slotId, int sequenceId);

    /** Sets the highest slot that the fore channel is to use, as the server asks (CB_RECALL_SLOT). Must not block. */
    void targetHighestSlot(int slotId);
}
