package io.verbena.rpcrdma.dispatcher.internal.requester;

import io.verbena.rpcrdma.dispatcher.internal.connection.ReceivedMessage;
import io.verbena.runtime.Runtime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events of JDK Flight Recorder for the stages of the calls of one requester, where Flight Recorder is present
 * and enabled. In OSGi the import of its package is optional; no class that needs it is loaded without. Costs almost
 * nothing while no recording is active.
 */
final class CallEvents {
    private static final Logger LOG = LoggerFactory.getLogger(CallEvents.class);
    private static volatile boolean available = isAvailable();

    private final RequesterOwner owner;
    private final Runtime runtime;

    CallEvents(RequesterOwner owner, Runtime runtime) {
        this.owner = owner;
        this.runtime = runtime;
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
     * Stops writing events. During a recording the classes of the recorder have to be visible from here: the framework
     * has to delegate {@code jdk.jfr.*} to the boot class loader. No call may fail where it does not.
     */
    private static void giveUp(LinkageError cause) {
        available = false;
        LOG.warn(
                "Flight Recorder is told of no calls: the framework does not delegate jdk.jfr.* ({})",
                cause.toString());
    }

    /** Logs what the recorder threw: no call may fail because of it. */
    private static void failed(Throwable thrown) {
        if (thrown instanceof LinkageError cause) {
            giveUp(cause);
        } else {
            LOG.debug("Flight Recorder was not told of a call: {}", thrown.toString());
        }
    }

    /** A call was made. */
    void queued(PendingCall<?> call) {
        if (available) {
            try {
                CallFlightEvents.queued(owner, call);
            } catch (Throwable e) {
                failed(e);
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
                CallFlightEvents.sent(owner, call, slot, length, exposed);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    /** The reply has come. */
    void replied(PendingCall<?> call, ReceivedMessage received) {
        if (available) {
            try {
                CallFlightEvents.replied(owner, call, received, runtime);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    /** The call's future is about to be completed. */
    void completed(PendingCall<?> call, Throwable failure) {
        if (available) {
            try {
                CallFlightEvents.completed(owner, call, failure, runtime);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }
}
