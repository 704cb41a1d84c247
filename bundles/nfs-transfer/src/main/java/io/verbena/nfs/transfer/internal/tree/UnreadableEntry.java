package io.verbena.nfs.transfer.internal.tree;

import io.verbena.nfs.transfer.CopyFailure;

/**
 * An entry of a directory that could not be read. The other entries of the directory are still read.
 *
 * @param name the last name, as listed
 * @param failure the failure with the path
 */
public record UnreadableEntry(String name, CopyFailure failure) {
    /** Receives unreadable entries. */
    @FunctionalInterface
    public interface Consumer {
        void add(String name, Exception reason);
    }
}
