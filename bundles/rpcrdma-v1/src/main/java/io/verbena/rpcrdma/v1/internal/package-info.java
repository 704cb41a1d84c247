/**
 * The header codec of RPC-over-RDMA Version One (RFC 8166).
 *
 * <p>Uses {@code io.verbena.rpcrdma} only, neither verbs nor I/O.
 *
 * <p>Stateless; any thread may call it.
 */
package io.verbena.rpcrdma.v1.internal;
