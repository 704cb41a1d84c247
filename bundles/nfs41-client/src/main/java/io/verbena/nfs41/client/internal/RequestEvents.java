package io.verbena.nfs41.client.internal;

/**
 * Whether there is JDK Flight Recorder to tell of requests: a runtime may be without, and in OSGi the import of its
 * package is optional. No class that needs it is loaded then.
 */
final class RequestEvents {
    static final boolean AVAILABLE = isAvailable();

    private RequestEvents() {}

    private static boolean isAvailable() {
        try {
            Class.forName("jdk.jfr.Event", false, RequestEvents.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
