/**
 * The requester, in either direction: XIDs and credits (RFC 8166 section 3.3), how a call and its reply travel and the
 * chunks offered for them (sections 3.4 and 3.5), checks of replies, time limits, calls sent again.
 *
 * <p>May use {@code connection} and the rooms below it; not {@code responder}.
 *
 * <p>The thread that makes a call encodes it; the receive thread decodes replies.
 */
package io.verbena.rpcrdma.dispatcher.internal.requester;
