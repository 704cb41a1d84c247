/**
 * The shell commands of the scopes rdma and rpcrdma.
 *
 * <p>Uses the exported packages of transport, verbs, memory, self-test and trace, and {@code io.verbena.cli}. Uses no
 * implementation packages.
 *
 * <p>The thread of a shell session runs a command, and may block.
 */
package io.verbena.cli.rdma.internal;
