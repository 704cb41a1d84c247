/**
 * The server side of the back channel (RFC 8881 section 20): slots, CB_COMPOUND and its operations.
 * Uses no other room; what the operations act on is behind interfaces of this room.
 * Runs on the connection's receive thread; never blocks.
 */
package io.verbena.nfs41.client.internal.callback;
