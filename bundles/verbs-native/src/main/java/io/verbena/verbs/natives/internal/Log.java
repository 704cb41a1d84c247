package io.verbena.verbs.natives.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The provider's log. */
public final class Log {
    public static final Logger LOGGER = LoggerFactory.getLogger("io.verbena.verbs.native");

    private Log() {}
}
