package io.verbena.nfs.transfer;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Listens to the progress and the failures of a copy. An exception that a listener throws is logged, and does not stop
 * the copy. A slow listener method delays the thread that calls it.
 */
@ConsumerType
public interface CopyListener {
    /**
     * Receives the progress of the copy about ten times a second, and once at the end. Called by the thread that runs
     * the copy.
     */
    default void progressed(Progress progress) {}

    /**
     * Receives a file that has failed. The copy continues with the other files. Called by the worker thread of the
     * file, and by several worker threads at the same time.
     */
    default void failed(CopyFailure failure) {}

    /**
     * Receives a step that the copy has taken: a file that it has copied, a directory or a hard link that it has made,
     * an object that it has removed, or a file that it has kept before. Called by the thread that took the step, and by
     * several threads at the same time.
     */
    default void done(CopyStep step) {}

    /**
     * Receives a file that has failed, and that the copy tries again later ({@link CopyOptions#withRetries}). Called as
     * {@link #failed} is.
     */
    default void retried(CopyFailure failure) {}
}
