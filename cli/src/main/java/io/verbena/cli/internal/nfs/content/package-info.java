/**
 * Commands that print the content of a file, follow a file, or compute the digest of a file.
 *
 * <p>Uses {@code internal.nfs.command}. Runs on the thread of the session that runs the command.
 */
package io.verbena.cli.internal.nfs.content;
