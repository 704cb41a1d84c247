package io.verbena.simulation.logging;

import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Hands errors to the thread that logs them, and drops all else. */
final class WorldLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    WorldLogger(String name) {
        this.name = name;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }

    @Override
    public boolean isWarnEnabled() {
        return false;
    }

    @Override
    public boolean isInfoEnabled() {
        return false;
    }

    @Override
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
        if (Thread.currentThread() instanceof ErrorListener listener) {
            listener.onError(MessageFormatter.basicArrayFormat(pattern, arguments), thrown);
        }
    }
}
