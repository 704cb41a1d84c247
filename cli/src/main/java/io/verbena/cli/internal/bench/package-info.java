/**
 * Measures a mount: writes, reads and creates files, and measures each phase.
 *
 * <p>Uses {@code io.verbena.cli} and {@code internal}. The benchmark runs on the thread of the session. The threads
 * that it creates end with it.
 */
package io.verbena.cli.internal.bench;
