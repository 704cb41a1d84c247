package io.verbena.verbs.trace.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bundle's logger. */
final class Log {
    static final Logger LOGGER = LoggerFactory.getLogger("io.verbena.verbs.trace");

    private Log() {}
}
