/**
 * Fleets: thousands of mounts and one server on virtual time, what they ask of the server, and how they come back after
 * its restart.
 *
 * Uses {@code scheduler}, {@code network}, {@code disk}, and the code of the bundles as it is.
 *
 * The running strand calls it, {@link io.verbena.simulation.scale.ScaleMain} and {@link
 * io.verbena.simulation.scale.ScaleRun#run} apart.
 */
package io.verbena.simulation.scale;
