package io.verbena.nfs.transfer.internal.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyListener;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Progress;
import io.verbena.nfs.transfer.internal.failure.FailureKind;
import io.verbena.nfs.transfer.internal.failure.Futures;
import io.verbena.nfs.transfer.internal.file.CopyCounters;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Implements the life cycle of a copy, which runs once, can be cancelled and notifies listeners. A subclass does the
 * copying. The thread that runs the copy calls the subclass. All other methods may be called from any thread.
 */
abstract class CopyJob implements Copy {
    private static final Logger LOG = LoggerFactory.getLogger(CopyJob.class);

    /** The running jobs of an engine. The jobs end with the engine. */
    interface Running {
        /**
         * Registers a job that begins.
         *
         * @throws CancellationException if the engine starts no more jobs
         */
        void begin(CopyJob job);

        void end(CopyJob job);
    }

    /** The work of a job. */
    @FunctionalInterface
    private interface Work {
        CopySummary run() throws IOException, InterruptedException;
    }

    final CopyCounters counters = new CopyCounters();
    private final Running running;
    private final Runtime runtime;
    private final CopyEvents events;
    private final List<CopyListener> listeners = new CopyOnWriteArrayList<>();

    private volatile boolean hasWarned;

    @GuardedBy("this")
    private boolean isUsed;

    @GuardedBy("this")
    private Thread runner;

    @GuardedBy("this")
    private Optional<String> cancellation = Optional.empty();

    CopyJob(Running running, Runtime runtime, CopyEvents events) {
        this.running = running;
        this.runtime = runtime;
        this.events = events;
    }

    /** Copies on the calling thread. */
    abstract CopySummary copy() throws IOException, InterruptedException;

    /** Closes what the paths of the job keep open. Called when no thread works for the job any more. */
    abstract void closePaths();

    /** Reports the steps that the copy would take, on the calling thread. */
    abstract CopySummary rehearsed(Consumer<CopyStep> steps) throws IOException, InterruptedException;

    /** Returns the longest silence among the servers of this job. */
    abstract Optional<UnresponsiveServer> unresponsiveServer();

    @Override
    public final void addListener(CopyListener listener) {
        listeners.add(listener);
    }

    @Override
    public final CopySummary run() throws IOException, InterruptedException {
        use();
        return run(this::recorded);
    }

    @Override
    public final CompletableFuture<CopySummary> start() {
        use();
        CompletableFuture<CopySummary> summary = new CompletableFuture<>();
        Thread thread = runtime.threads("verbena-copy").newThread(() -> {
            try {
                summary.complete(run(this::recorded));
            } catch (Throwable e) {
                summary.completeExceptionally(e);
            }
        });
        thread.start();
        Futures.whenOver(summary, () -> {
            if (summary.isCancelled()) {
                cancel();
            }
        });
        return summary;
    }

    @Override
    public final CopySummary rehearse(Consumer<CopyStep> steps) throws IOException, InterruptedException {
        use();
        return run(() -> rehearsed(steps));
    }

    private synchronized void use() {
        if (isUsed) {
            throw new IllegalStateException("a copy runs once");
        }
        isUsed = true;
    }

    private CopySummary recorded() throws IOException, InterruptedException {
        events.started(this);
        long start = runtime.nanoTime();
        try {
            CopySummary summary = copy();
            events.ended(this, runtime.nanoTime() - start, null);
            return summary;
        } catch (Throwable e) {
            events.ended(this, runtime.nanoTime() - start, e);
            throw e;
        }
    }

    private CopySummary run(Work work) throws IOException, InterruptedException {
        running.begin(this);
        try {
            begin();
            return work.run();
        } catch (IOException | InterruptedException e) {
            throw reason(e);
        } finally {
            try {
                closePaths();
            } finally {
                end();
                running.end(this);
            }
        }
    }

    private synchronized void begin() {
        cancellation.ifPresent(reason -> {
            throw new CancellationException(reason);
        });
        runner = Thread.currentThread();
    }

    /**
     * Marks the job as ended, and clears an interrupt by {@link #cancel}. The interrupt was meant for this job, and not
     * for the thread's next work.
     */
    private synchronized void end() {
        boolean wasInterrupted = runner != null && cancellation.isPresent() && Thread.interrupted();
        if (wasInterrupted) {
            LOG.debug("a cancelled copy has ended");
        }
        runner = null;
    }

    /** Returns a failure, or throws the cancellation that caused the failure. */
    private synchronized IOException reason(Exception failure) throws IOException, InterruptedException {
        if (cancellation.isPresent() && FailureKind.of(failure) == FailureKind.INTERRUPTED) {
            CancellationException cancelled = new CancellationException(cancellation.get());
            cancelled.initCause(failure);
            throw cancelled;
        }
        if (failure instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        return (IOException) failure;
    }

    @Override
    public final void cancel() {
        cancel("the copy was cancelled");
    }

    /**
     * Cancels the job.
     *
     * @param reason the readable reason
     */
    final synchronized void cancel(String reason) {
        if (cancellation.isEmpty()) {
            cancellation = Optional.of(reason);
            if (runner != null) {
                runner.interrupt();
            }
        }
    }

    @Override
    public final Progress progress() {
        return counters.progress(unresponsiveServer());
    }

    @Override
    public final List<String> leftovers() {
        return counters.leftovers();
    }

    /** Notifies the listeners of the progress of the job. */
    final void tick() {
        if (!listeners.isEmpty()) {
            Progress progress = progress();
            tell(listener -> listener.progressed(progress));
        }
    }

    /** Counts a file that has failed, and notifies the listeners of it. */
    final void noteFailure(CopyFailure failure) {
        counters.fail();
        tell(listener -> listener.failed(failure));
    }

    /** Notifies the listeners of a file that is tried again. */
    final void noteRetry(CopyFailure failure) {
        tell(listener -> listener.retried(failure));
    }

    /** Notifies the listeners of a step. */
    final void noteStep(CopyStep step) {
        tell(listener -> listener.done(step));
    }

    private void tell(Consumer<CopyListener> what) {
        for (CopyListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (Throwable e) { // an exception of a listener does not affect the copy
                if (hasWarned) {
                    LOG.debug("a listener of a copy has failed again", e);
                } else {
                    hasWarned = true;
                    LOG.warn("a listener of a copy has failed", e);
                }
            }
        }
    }
}
