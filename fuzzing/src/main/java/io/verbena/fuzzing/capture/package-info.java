/**
 * Captured traffic of Linux as sample messages for tests.
 *
 * <p>Uses the JDK only.
 *
 * <p>Stateless; any thread may call it.
 */
package io.verbena.fuzzing.capture;
