/**
 * Commands that create, rename, remove and lock files, and that set attributes.
 *
 * <p>Uses {@code internal.nfs.command}. Runs on the thread of the session that runs the command.
 */
package io.verbena.cli.internal.nfs.change;
