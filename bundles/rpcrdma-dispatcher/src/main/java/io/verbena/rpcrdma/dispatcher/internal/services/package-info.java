/**
 * The services below the transport (RDMA providers, framings, negotiator, optional operations), the choice among them,
 * and the objects that all connections of the transport share.
 *
 * <p>May use {@code base}.
 *
 * <p>Any thread; a thread that needs a missing service waits here.
 */
package io.verbena.rpcrdma.dispatcher.internal.services;
