/**
 * Clients, their leases, sessions, slots and reply cache, and recovery after a restart (RFC 8881 sections 2.4, 2.10,
 * 8.4). Uses {@code budget}, {@code callback} and {@code util}; knows opens and locks by {@code ClientStates} alone.
 * The thread of the request or a worker of the export; writing the record of clients waits for the disk.
 */
package io.verbena.nfs41.server.internal.session;
