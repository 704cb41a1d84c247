package io.verbena.nfs41.client.internal.figures;

import io.verbena.nfs41.SessionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports requests to JDK Flight Recorder, where the runtime has it. In OSGi the import of its package is optional;
 * without it, no class that needs it is loaded.
 */
final class RequestEvents {
    private static final Logger LOG = LoggerFactory.getLogger(RequestEvents.class);
    private static volatile boolean available = isAvailable();

    private RequestEvents() {}

    private static boolean isAvailable() {
        try {
            Class.forName("jdk.jfr.Event", false, RequestEvents.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /**
     * Reports the end of a request. During a recording, classes of the recorder have to be visible to this bundle: the
     * framework has to delegate {@code jdk.jfr.*} to the boot class loader. Where it does not, requests go on without
     * events.
     */
    static void ended(RequestTimeline timeline, SessionId session, int slot, Throwable failure) {
        if (available) {
            try {
                RequestRecordings.ended(timeline, session, slot, failure);
            } catch (LinkageError e) {
                available = false;
                LOG.warn(
                        "Flight Recorder is told of no requests: the framework does not delegate jdk.jfr.* ({})",
                        e.toString());
            }
        }
    }
}
