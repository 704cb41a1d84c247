/**
 * Provides the files of this host, which are reached by directory descriptors. Uses the room {@code tree}. Runs on the
 * calling thread.
 */
package io.verbena.nfs.transfer.internal.local;
