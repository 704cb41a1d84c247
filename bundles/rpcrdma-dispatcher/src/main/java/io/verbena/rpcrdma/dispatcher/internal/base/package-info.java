/**
 * Used by all rooms: threads, counters, sizes and time limits, configuration, failures and their words.
 *
 * <p>May use no other room.
 *
 * <p>Any thread; {@code Workers} makes the threads of the transport.
 */
package io.verbena.rpcrdma.dispatcher.internal.base;
