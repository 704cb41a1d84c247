package io.verbena.simulation.coverage;

/**
 * A place in the code that sets a state.
 *
 * @param machine whose state it is
 * @param place class and line
 * @param state the state, where the place always sets the same; empty where it depends
 */
record StateSite(StateMachine machine, String place, String state) {}
