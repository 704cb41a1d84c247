/**
 * Open files between OPEN and CLOSE, the write verifier, and stable storage (RFC 8881 sections 18.3 and 18.32).
 * Uses {@code vfs}, {@code attribute} and {@code util}.
 * The thread of the request or a worker of the export; what waits for the disk is left to a worker.
 */
package io.verbena.nfs41.server.internal.file;
