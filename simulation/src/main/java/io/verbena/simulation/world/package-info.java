/**
 * A world of one seed: a server on a disk, clients, and what goes wrong between them.
 *
 * May use internal packages of the bundles, and all packages of this module but {@code workload}.
 *
 * Strands of the world call it.
 */
package io.verbena.simulation.world;
