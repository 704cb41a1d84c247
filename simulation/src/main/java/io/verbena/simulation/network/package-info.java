/**
 * An RDMA provider whose wires are virtual: delays, cuts, holes and refusals, decided by a seed.
 *
 * Uses the contract of {@code verbs}, and {@code scheduler}.
 *
 * The running strand calls it. A strand of its own tells each end of a connection of its completions.
 */
package io.verbena.simulation.network;
