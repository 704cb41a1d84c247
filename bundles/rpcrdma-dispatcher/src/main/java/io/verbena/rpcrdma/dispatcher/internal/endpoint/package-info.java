/**
 * Connections as users have them: clients that connect, reconnect and are swapped, listeners that accept, limit and
 * drain connections, and reports of both.
 *
 * <p>May use all other rooms.
 *
 * <p>Connecting, draining and closing block: the calling thread, or one of {@code Workers}. Ends arrive on the receive
 * thread.
 */
package io.verbena.rpcrdma.dispatcher.internal.endpoint;
