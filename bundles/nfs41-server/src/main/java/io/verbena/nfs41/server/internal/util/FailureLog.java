package io.verbena.nfs41.server.internal.util;

import org.slf4j.Logger;

/** Logs failures where work has to go on even if there is no memory for a line of the log. */
public final class FailureLog {
    private FailureLog() {}

    public static void error(Logger log, String message, Throwable failure) {
        try {
            log.error(message, failure);
        } catch (Throwable e) {
            // there is no memory to tell it
        }
    }

    public static void warn(Logger log, String message, Throwable failure) {
        try {
            log.warn(message, failure);
        } catch (Throwable e) {
            // there is no memory to tell it
        }
    }
}
