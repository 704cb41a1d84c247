package io.verbena.nfs.transfer;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One copy. A copy runs once, by {@link #run}, {@link #start} or {@link #rehearse}. A second call of any of these
 * methods throws {@link IllegalStateException}. The other methods may be called from any thread, before, during and
 * after the run.
 *
 * <p>The copy moves several files, or several parts of large files, at a time. A regular file appears under its final
 * name only when it is complete. A file that fails does not stop the other files. The copy ends if the next file would
 * fail as well, as with an unreachable server or a full or read-only file system.
 */
@ProviderType
public interface Copy {
    /**
     * Adds a listener. The listener receives the events that occur after this call.
     *
     * @param listener the listener, which may be called from several threads
     */
    void addListener(CopyListener listener);

    /**
     * Copies on the calling thread. The worker threads of the copy end before this method returns.
     *
     * @return the summary, which includes the failed files of a copy of several files
     * @throws IOException if the only file failed, or if a failure ended the whole copy; the message is readable and
     *     has one line
     * @throws InterruptedException if the calling thread was interrupted; the copy removes its temporary files, except
     *     with {@link CopyOptions.Flag#RESUME} or {@link CopyOptions.Flag#KEEP_PARTIAL}, which keep them
     * @throws java.util.concurrent.CancellationException if {@link #cancel} was called; temporary files are treated as
     *     after an interrupt
     * @throws IllegalArgumentException if two sources would have the same target
     */
    CopySummary run() throws IOException, InterruptedException;

    /**
     * Copies on a thread of the engine. The future completes with the result or the failure of {@link #run}. {@link
     * #cancel} cancels the future. Cancelling the future cancels the copy, which ends shortly afterwards.
     *
     * @return the future summary
     */
    CompletableFuture<CopySummary> start();

    /**
     * Reports each step that {@link #run} would take, and changes nothing.
     *
     * @param steps receives the steps, on the calling thread
     * @return the expected summary, as far as it can be known in advance
     * @throws IOException if a failure would end the whole copy
     * @throws InterruptedException if the calling thread was interrupted
     * @throws UnsupportedOperationException if the source of the copy is a stream
     */
    CopySummary rehearse(Consumer<CopyStep> steps) throws IOException, InterruptedException;

    /** Cancels the copy and returns at once. Has no effect if the copy has ended. */
    void cancel();

    /** Returns the progress of the copy. May be called after the copy has failed. */
    Progress progress();

    /**
     * Returns the readable places of the temporary files that the copy could not remove because their server could not
     * be reached.
     */
    List<String> leftovers();

    /**
     * Returns whether the copy creates the target as a directory, because the target did not exist. If the same copy is
     * run again, it copies into that directory. To continue after a failure, synchronise the first source with the
     * target.
     */
    boolean makesTarget();
}
