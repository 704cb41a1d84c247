/**
 * Work on the mounts of a world, with a model of what has to come of it.
 *
 * Uses the contract of {@code nfs}, java.nio, and {@code world}.
 *
 * A strand of a client's process runs each worker.
 */
package io.verbena.simulation.workload;
