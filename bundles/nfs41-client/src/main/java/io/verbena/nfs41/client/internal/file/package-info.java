/**
 * Open files: opening, reading, read-ahead, channels, locks and attributes, on one core for each file of the mount.
 * Uses write, names, state and the rooms below them.
 * User calls run on the caller's thread and may block it; replies come on the receive thread.
 */
package io.verbena.nfs41.client.internal.file;
