/**
 * Stateids, opens, share reservations, byte-range locks and delegations (RFC 8881 sections 8 to 10).
 * Uses {@code session}, {@code callback}, {@code budget}, inodes of {@code vfs} and {@code util}.
 * The thread of the request or a worker of the export. One lock guards all state; no other room is called under it.
 */
package io.verbena.nfs41.server.internal.state;
