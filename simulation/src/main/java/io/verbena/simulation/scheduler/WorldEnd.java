package io.verbena.simulation.scheduler;

/** Unwinds the stack of a strand whose world is over. No failure. */
final class WorldEnd extends Error {
    private static final long serialVersionUID = 1L;

    WorldEnd() {
        super("the simulated world is over", null, false, false);
    }
}
