package io.verbena.cli.internal.script;

import io.verbena.cli.CommandFailure;
import java.util.Optional;
import org.apache.karaf.shell.api.console.Session;

/** The builds of this bundle that may run the rest of a script. */
interface Successors {
    /** No other build ever runs the rest. */
    Successors NONE = statement -> Optional.empty();

    /** A build of this bundle, as another build sees it. */
    @FunctionalInterface
    interface Successor {
        /** Begins to run the rest, and returns. */
        void take(Remainder rest);
    }

    /** The script has a session now, whose functions other builds may replace. */
    default void begun(Session session) {}

    /**
     * Returns the build that is to run the rest of the script; empty if the script goes on here. Waits where this build
     * is replaced, until the next one has started.
     *
     * @param statement the statement that has ended
     * @throws CommandFailure if the next build does not start
     */
    Optional<Successor> next(String statement) throws CommandFailure, InterruptedException;
}
