/**
 * Commands that create, list, explain and remove mounts and exports, and that change the working directory.
 *
 * <p>Uses {@code internal.nfs.command} and {@code internal.bench}. Runs on the thread of the session that runs the
 * command.
 */
package io.verbena.cli.internal.nfs.mounts;
