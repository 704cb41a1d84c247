package io.verbena.rpcrdma.dispatcher.internal;

/**
 * Tells JDK Flight Recorder of the stages of one requester's calls, where there is a recorder and it wants them: the
 * package of its events need not be there (in OSGi its import is optional), and no class that needs it is loaded then.
 * Costs next to nothing while nobody records.
 */
final class CallEvents {
    private static final boolean AVAILABLE = isAvailable();

    private final Requester.Owner owner;

    CallEvents(Requester.Owner owner) {
        this.owner = owner;
    }

    private static boolean isAvailable() {
        try {
            Class.forName("jdk.jfr.Event", false, CallEvents.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false; // a runtime without, or a framework that does not hand it on
        }
    }

    /** A call was made. */
    void queued(PendingCall<?> call) {
        if (AVAILABLE) {
            CallRecordings.queued(owner, call);
        }
    }

    /**
     * A call is encoded, its memory is open, and it is about to be posted.
     *
     * @param length of its Send
     * @param exposed octets that the peer may read
     */
    void sent(PendingCall<?> call, CallSlot slot, int length, long exposed) {
        if (AVAILABLE) {
            CallRecordings.sent(owner, call, slot, length, exposed);
        }
    }

    /** The reply has come. */
    void replied(PendingCall<?> call, ReceivedMessage received) {
        if (AVAILABLE) {
            CallRecordings.replied(owner, call, received);
        }
    }

    /** The call's future is about to be completed. */
    void completed(PendingCall<?> call, Throwable failure) {
        if (AVAILABLE) {
            CallRecordings.completed(owner, call, failure);
        }
    }
}
