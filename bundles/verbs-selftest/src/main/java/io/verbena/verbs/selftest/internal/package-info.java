/**
 * The self-test: the connecting end with its steps and measurements, and the listening end that answers it.
 *
 * <p>Uses {@code io.verbena.verbs} and {@code io.verbena.verbs.selftest} only.
 *
 * <p>The caller's thread runs the steps and blocks; the receive threads of the connections run both ends' handlers.
 */
package io.verbena.verbs.selftest.internal;
