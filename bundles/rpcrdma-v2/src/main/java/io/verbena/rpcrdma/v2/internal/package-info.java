/**
 * The header codec of RPC-over-RDMA Version Two, and its optional operation for buffer sizes.
 *
 * <p>Uses {@code io.verbena.rpcrdma} only, neither verbs nor I/O.
 *
 * <p>Stateless; any thread may call it.
 */
package io.verbena.rpcrdma.v2.internal;
