/**
 * The commands that serve exports and keep mounts in the foreground, as services of the system.
 *
 * <p>Uses exports and mounts, and the commands nfs:export and nfs:mount by their words.
 *
 * <p>The thread of the shell runs it. A signal only releases that thread.
 */
package io.verbena.cli.internal.nfs.serve;
