/**
 * The base of the commands for files of mounts: the mount and path of an argument, rows, and walks of trees.
 *
 * <p>Uses {@code io.verbena.cli}, {@code internal} and {@code internal.complete}. Runs on the thread of the session.
 */
package io.verbena.cli.internal.nfs.command;
