/**
 * Describes trees of files, of this host and of mounts, by one interface. Each path has the name that failures show.
 * Uses the interfaces of mounts and memory. Runs on the calling thread: the thread that runs a copy, or one of its
 * workers.
 */
package io.verbena.nfs.transfer.internal.tree;
