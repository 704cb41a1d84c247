/**
 * The responder, in either direction: takes calls, pulls Read chunks (RFC 8166 section 3.4.5), has a program handle the
 * calls, fills Write and Reply chunks (section 3.4.6), sends replies and errors (section 4.5).
 *
 * <p>May use {@code connection} and the rooms below it; not {@code requester}.
 *
 * <p>The receive thread takes calls; the thread that answers encodes the reply.
 */
package io.verbena.rpcrdma.dispatcher.internal.responder;
