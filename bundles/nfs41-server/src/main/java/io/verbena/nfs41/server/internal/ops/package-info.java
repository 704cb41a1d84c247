/**
 * COMPOUND and its operations, a class for each chapter of them (RFC 8881 sections 16.2 and 18).
 * Uses all other rooms.
 * The transport's thread that brings the request; what waits for a disk goes on in a worker of the export.
 */
package io.verbena.nfs41.server.internal.ops;
