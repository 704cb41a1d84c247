/**
 * State on the server (RFC 8881 sections 8 to 10): opens, byte-range locks, delegations, reclaim and revocation.
 * Uses session and the rooms below it.
 * Replies and callbacks arrive on the receive thread; reclaim blocks a worker thread of the mount.
 */
package io.verbena.nfs41.client.internal.state;
