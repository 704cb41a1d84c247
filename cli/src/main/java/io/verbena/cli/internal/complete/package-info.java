/**
 * Completes paths and names of mounts, exports, options and providers at the prompt.
 *
 * <p>Uses {@code io.verbena.cli} and {@code internal}. Runs on the thread of the session that reads the line.
 */
package io.verbena.cli.internal.complete;
