/**
 * The running trace: the queue of observed events, and their way into a file.
 *
 * <p>Uses {@code io.verbena.verbs} and the package {@code capture} for the formats.
 *
 * <p>Receive and posting threads of connections add events; one thread of the trace writes the file.
 */
package io.verbena.verbs.trace.internal;
