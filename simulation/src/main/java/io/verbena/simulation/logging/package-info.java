/**
 * What the bundles log in a world.
 *
 * Uses the API of SLF4J alone, and is loaded once: SLF4J and the watched classes see the same types.
 *
 * The thread that logs runs it.
 */
package io.verbena.simulation.logging;
