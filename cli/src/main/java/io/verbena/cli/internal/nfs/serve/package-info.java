/**
 * The command that serves exports in the foreground, as a service of the system.
 *
 * <p>Uses the exports, and the command nfs:export by its words.
 *
 * <p>The thread of the shell runs it. A signal only releases that thread.
 */
package io.verbena.cli.internal.nfs.serve;
