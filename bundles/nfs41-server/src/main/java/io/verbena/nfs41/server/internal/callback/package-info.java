/**
 * Back channels and the callbacks in them (RFC 8881 sections 2.10.3.1, 2.10.6 and 20).
 * Uses {@code async}; does not know sessions.
 * The thread of the request, and the transport's thread that completes a callback; nothing blocks.
 */
package io.verbena.nfs41.server.internal.callback;
