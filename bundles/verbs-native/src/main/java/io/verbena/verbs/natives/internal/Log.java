package io.verbena.verbs.natives.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The provider's log. */
final class Log {
    static final Logger LOGGER = LoggerFactory.getLogger("io.verbena.verbs.native");

    private Log() {}
}
