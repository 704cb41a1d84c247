package io.verbena.cli.internal.script;

import java.util.Collection;
import java.util.Optional;

/** Tells whether the container has, or is about to have, a command that a session does not know. */
interface CommandSources {
    /**
     * What a container says about a command.
     *
     * @param isDeclared whether a bundle has the command, or a bundle that cannot be read could have it
     * @param isStopped whether a user stopped the bundle, so that the command does not come by itself
     * @param reason the bundle and what it lacks; empty if nothing is known
     */
    record Prospect(boolean isDeclared, boolean isStopped, Optional<String> reason) {
        /** No bundle has the command. */
        static final Prospect NONE = new Prospect(false, false, Optional.empty());
    }

    /**
     * Returns what is known about a command.
     *
     * @param name the name as it was typed, with or without a scope
     */
    Prospect of(String name);

    /** Returns the commands, with scope and name, that are there or come by themselves as soon as the container can. */
    Collection<String> names();

    /** Returns a number that differs after each change of a bundle or a service. */
    long changes();
}
