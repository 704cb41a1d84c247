/**
 * Write-back of one file (RFC 8881 sections 18.3 and 18.32): order, WRITE, COMMIT, and what is sent again.
 * Uses state and the rooms below it, not names.
 * Asynchronous, on the caller's and the receive thread, under one monitor for each file.
 */
package io.verbena.nfs41.client.internal.write;
