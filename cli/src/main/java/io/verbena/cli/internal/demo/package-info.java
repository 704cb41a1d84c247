/**
 * The demonstration: an export and a mount in one process, with files that are copied in both directions.
 *
 * <p>Uses {@code io.verbena.cli}, {@code internal} and the copy engine. Runs on the thread of the session.
 */
package io.verbena.cli.internal.demo;
