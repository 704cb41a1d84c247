package io.verbena.nfs41.client.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells JDK Flight Recorder of requests, where there is a recorder: a runtime may be without, and in OSGi the import of
 * its package is optional. No class that needs it is loaded then.
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
     * A request is over. While somebody records, the recorder's own classes have to be visible from here, which a
     * framework may not allow: it has to delegate {@code jdk.jfr.*} to the boot class loader. No request may suffer from
     * that.
     */
    static void ended(Journey journey, Session session, int slot, Throwable failure) {
        if (available) {
            try {
                RequestRecordings.ended(journey, session, slot, failure);
            } catch (LinkageError e) {
                available = false;
                LOG.warn(
                        "Flight Recorder is told of no requests: the framework does not delegate jdk.jfr.* ({})",
                        e.toString());
            }
        }
    }
}
