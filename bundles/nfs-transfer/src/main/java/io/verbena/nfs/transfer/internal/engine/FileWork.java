package io.verbena.nfs.transfer.internal.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.internal.file.CopyContext;
import io.verbena.nfs.transfer.internal.file.FileCopy;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import io.verbena.nfs.transfer.internal.tree.FatalFailures;
import io.verbena.nfs.transfer.walk.NamedFailures;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs the steps of one file. A failure ends the file, and a {@linkplain FatalFailures fatal} failure ends the whole
 * copy. The file is abandoned after the last of its running steps has ended. Thread safe.
 */
final class FileWork implements WorkQueue.Work {
    /** The owner of the work. */
    interface Owner {
        /** Queues steps, each for the next free worker. */
        void add(List<? extends WorkQueue.Work> steps);

        /** Receives a file whose work has ended, whether or not the file was copied. */
        void end(FileWork work);

        /** Receives the failure of the file. The other files are still copied. */
        void fail(CopyPlan.Item item, CopyFailure failure);

        /** Receives the step that the file's work has taken. */
        void done(CopyStep step);
    }

    private final CopyContext context;
    private final CopyEvents events;
    private final CopyPlan.Item item;
    private final FileCopy copy;
    private final Owner owner;

    private volatile long begunNanos;

    @GuardedBy("this")
    private int left = 1;

    @GuardedBy("this")
    private boolean isComplete;

    @GuardedBy("this")
    private IOException failure;

    FileWork(CopyContext context, CopyEvents events, CopyPlan.Item item, Owner owner) {
        this.context = context;
        this.events = events;
        this.item = item;
        this.copy = new FileCopy(context, item);
        this.owner = owner;
    }

    @Override
    public boolean isSmall() {
        return FileCopy.isSmall(item.node());
    }

    @Override
    public void run() throws IOException, InterruptedException {
        context.progress.begin(item.from());
        begunNanos = context.runtime.nanoTime();
        runStep(() -> take(copy.begin()));
    }

    /** Abandons the file. Called after the whole copy has ended, when no step is running any more. */
    void giveUp(Exception reason) {
        copy.giveUp(reason);
    }

    /** Runs a single step on the calling thread, and queues several steps for any free worker. */
    private void take(List<FileCopy.Step> steps) throws IOException, InterruptedException {
        List<FileCopy.Step> now = steps;
        while (now.size() == 1) {
            now.get(0).run();
            now = copy.next();
        }
        synchronized (this) {
            left += now.size();
            isComplete = now.isEmpty();
        }
        owner.add(now.stream().<WorkQueue.Work>map(step -> () -> runStep(step)).toList());
    }

    private void runStep(FileCopy.Step step) throws IOException, InterruptedException {
        try {
            if (!hasFailed()) {
                step.run();
            }
        } catch (IOException e) {
            if (FatalFailures.isFatal(e, item.from(), item.to())) {
                throw named(e);
            }
            setFailed(e);
        }
        end();
    }

    /** Returns the failure that ends the whole copy, with the name of the file that caused it. */
    private IOException named(IOException fatal) {
        String message = String.valueOf(fatal.getMessage());
        boolean isNamed = Stream.of(item.from(), item.to()).anyMatch(end -> message.startsWith(end.toString()));
        return isNamed ? fatal : NamedFailures.about(item.from().toString(), fatal);
    }

    private synchronized boolean hasFailed() {
        return failure != null;
    }

    private synchronized void setFailed(IOException e) {
        failure = failure == null ? e : failure;
    }

    private void end() throws IOException, InterruptedException {
        IOException failed;
        synchronized (this) {
            left--;
            if (left > 0) {
                return;
            }
            failed = failure;
            if (failed == null && !isComplete) {
                left = 1;
            }
        }
        if (failed != null) {
            copy.giveUp(failed);
            events.fileEnded(item, context.runtime.nanoTime() - begunNanos, failed);
            owner.fail(item, item.from().failure(failed));
            owner.end(this);
        } else if (isComplete()) {
            events.fileEnded(item, context.runtime.nanoTime() - begunNanos, null);
            copy.step().ifPresent(owner::done);
            owner.end(this);
        } else {
            runStep(() -> take(copy.next()));
        }
    }

    private synchronized boolean isComplete() {
        return isComplete;
    }
}
