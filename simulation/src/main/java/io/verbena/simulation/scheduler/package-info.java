/**
 * Virtual time: strands that run one at a time, in an order that a seed decides; a {@link io.verbena.runtime.Runtime}
 * for each simulated process.
 *
 * Uses the contract of {@code runtime} alone.
 *
 * One thread runs at any time, which is the thread of the running strand. It needs no locks.
 */
package io.verbena.simulation.scheduler;
