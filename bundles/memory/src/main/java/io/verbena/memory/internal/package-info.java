/**
 * The budget of direct memory: shares, leases, slabs of pages, and the queue of waiting requests.
 *
 * <p>Uses {@code io.verbena.memory} only. One lock of the budget guards all its state.
 *
 * <p>Any thread leases and gives back; the budget's own thread serves waiting requests and calls those that can give
 * back.
 */
package io.verbena.memory.internal;
