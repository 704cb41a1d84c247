/**
 * Reads what this host knows of mounts: the aliases of servers in the user's file, and the lines of fstab.
 *
 * <p>Uses {@code io.verbena.cli} and {@code internal}. Runs on the thread of the session.
 */
package io.verbena.cli.internal.hosts;
