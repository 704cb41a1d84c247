/**
 * One RDMA connection, on either end: receives, the direction of messages (RFC 8167), version negotiation and errors of
 * versions (RFC 8166 section 4.5), private data (RFC 8797), states and end. It sees the calling role and the answering
 * role by one interface each.
 *
 * <p>May use {@code base}, {@code memory} and {@code services}; neither {@code requester} nor {@code responder}.
 *
 * <p>Received messages and the end: the receive thread of the connection. Posting and ending: any thread.
 */
package io.verbena.rpcrdma.dispatcher.internal.connection;
