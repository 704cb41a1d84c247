/**
 * The run of all stress tests in a build, each for a moment.
 *
 * <p>Starts the harness as a process.
 *
 * <p>The test's thread waits for it.
 */
package io.verbena.stress;
