/**
 * Provides the files of mounts, also of those that replace a mount during a copy. Uses the room {@code tree}. Runs on
 * the calling thread.
 */
package io.verbena.nfs.transfer.internal.remote;
