/**
 * Registered memory: buffers for messages, the pool of buffers for data items, and the memory that one call opens to
 * the peer.
 *
 * <p>May use {@code base}.
 *
 * <p>Any thread; the thread that works on a call uses the objects of the call.
 */
package io.verbena.rpcrdma.dispatcher.internal.memory;
