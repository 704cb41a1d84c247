/**
 * The private data of RFC 8797: encoding, decoding, and the settings that result.
 *
 * <p>Uses {@code io.verbena.rpcrdma} only, neither verbs nor I/O.
 *
 * <p>Stateless; any thread may call it.
 */
package io.verbena.rpcrdma.cm.internal;
