package io.verbena.rpcrdma.dispatcher.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells JDK Flight Recorder of the stages of one requester's calls, where there is a recorder and it wants them: the
 * package of its events need not be there (in OSGi its import is optional), and no class that needs it is loaded then.
 * Costs next to nothing while nobody records.
 */
final class CallEvents {
    private static final Logger LOG = LoggerFactory.getLogger(CallEvents.class);
    private static volatile boolean available = isAvailable();

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

    /**
     * While somebody records, the recorder's own classes have to be visible from here, which a framework may not allow:
     * it has to delegate {@code jdk.jfr.*} to the boot class loader. No call may suffer from that.
     */
    private static void giveUp(LinkageError cause) {
        available = false;
        LOG.warn(
                "Flight Recorder is told of no calls: the framework does not delegate jdk.jfr.* ({})",
                cause.toString());
    }

    /** A call was made. */
    void queued(PendingCall<?> call) {
        if (available) {
            try {
                CallRecordings.queued(owner, call);
            } catch (LinkageError e) {
                giveUp(e);
            }
        }
    }

    /**
     * A call is encoded, its memory is open, and it is about to be posted.
     *
     * @param length of its Send
     * @param exposed octets that the peer may read
     */
    void sent(PendingCall<?> call, CallSlot slot, int length, long exposed) {
        if (available) {
            try {
                CallRecordings.sent(owner, call, slot, length, exposed);
            } catch (LinkageError e) {
                giveUp(e);
            }
        }
    }

    /** The reply has come. */
    void replied(PendingCall<?> call, ReceivedMessage received) {
        if (available) {
            try {
                CallRecordings.replied(owner, call, received);
            } catch (LinkageError e) {
                giveUp(e);
            }
        }
    }

    /** The call's future is about to be completed. */
    void completed(PendingCall<?> call, Throwable failure) {
        if (available) {
            try {
                CallRecordings.completed(owner, call, failure);
            } catch (LinkageError e) {
                giveUp(e);
            }
        }
    }
}
