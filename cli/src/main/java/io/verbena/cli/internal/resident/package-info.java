/**
 * The resident instance: runs scripts that the launcher hands over through a Unix domain socket, with the output and
 * the effects that a process of their own would have.
 *
 * <p>Uses {@code io.verbena.cli} and the room of scripts. Each connection has a thread that reads, a thread that
 * writes, and a thread that runs the script.
 */
package io.verbena.cli.internal.resident;
