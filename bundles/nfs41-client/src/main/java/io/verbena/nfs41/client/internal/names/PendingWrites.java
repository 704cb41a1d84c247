package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs41.FileHandle;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What operations on names see of open files: the writes that the server has not answered. Thread safe. */
public interface PendingWrites {
    /** Whether any file has writes under way or not on stable storage. */
    boolean isPending();

    /** The files that have writes under way or not on stable storage. */
    Set<FileHandle> pending();

    /** Completes once the server has answered the writes of all files so far. Never fails. */
    CompletableFuture<Void> answered();

    /**
     * Reads attributes of several files, once the server has got back the writes that it lost by a restart. Reads again
     * where the server restarts meanwhile.
     */
    <T> CompletableFuture<T> readConsistently(Supplier<CompletableFuture<T>> look);

    /** Reads from one file, after the writes to that file so far. */
    <T> CompletableFuture<T> behindWrites(FileHandle file, Supplier<CompletableFuture<T>> look);

    /** Runs a change of a whole file in the order of the file's writes. */
    <T> CompletableFuture<T> inOrder(FileHandle file, Supplier<CompletableFuture<T>> change);
}
