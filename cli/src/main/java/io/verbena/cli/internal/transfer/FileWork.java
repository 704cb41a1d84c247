package io.verbena.cli.internal.transfer;

import io.verbena.cli.Failures;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Takes one file through its steps. A failure ends the file, and the whole copy where it is {@linkplain Fatal fatal}; the
 * file is given up only when none of its steps is under way. Thread safe.
 */
final class FileWork implements WorkQueue.Work {
    /** Whom it belongs to. */
    interface Owner {
        /** Has work done by whoever comes first. */
        void add(List<? extends WorkQueue.Work> steps);

        /** It is done, well or not. */
        void end(FileWork work);

        /** The file could not be copied, which does not keep others from it. */
        void fail(Failure failure);
    }

    private final CopyPlan.Item item;
    private final FileCopy copy;
    private final Owner owner;
    // these are guarded by this
    private int left = 1;
    private boolean isComplete;
    private IOException failure;

    FileWork(CopyContext context, CopyPlan.Item item, Owner owner) {
        this.item = item;
        this.copy = new FileCopy(context, item);
        this.owner = owner;
    }

    @Override
    public void run() throws IOException, InterruptedException {
        runStep(() -> take(copy.begin()));
    }

    /** Where all of the copy has ended, and no step is under way any more. */
    void giveUp(Exception reason) {
        copy.giveUp(reason);
    }

    /** Takes a step at once where it is the only one, and leaves several to whoever is free. */
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
            if (Fatal.isFatal(e, item.from(), item.to())) {
                throw named(e);
            }
            setFailed(e);
        }
        end();
    }

    /** What ends the whole copy says at which file it was. */
    private IOException named(IOException fatal) {
        String message = String.valueOf(fatal.getMessage());
        boolean isNamed = Stream.of(item.from(), item.to()).anyMatch(end -> message.startsWith(end.toString()));
        return isNamed ? fatal : Failures.about(item.from().toString(), fatal);
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
            owner.fail(Failure.of(item.from(), failed));
            owner.end(this);
        } else if (isComplete()) {
            owner.end(this);
        } else {
            runStep(() -> take(copy.next()));
        }
    }

    private synchronized boolean isComplete() {
        return isComplete;
    }
}
