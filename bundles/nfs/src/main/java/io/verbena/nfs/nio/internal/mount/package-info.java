/**
 * The mount under a file system: its source, its URI, the mount that replaces it, and how its failures are told.
 * Uses the contract {@code io.verbena.nfs} and no other room.
 * The caller's thread, which waits for a mount that is being replaced and puts its interrupt aside meanwhile.
 */
package io.verbena.nfs.nio.internal.mount;
