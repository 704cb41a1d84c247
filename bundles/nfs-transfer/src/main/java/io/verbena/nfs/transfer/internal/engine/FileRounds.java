package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.CopyFailure;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.internal.failure.PassingFailures;
import io.verbena.nfs.transfer.internal.file.CopyContext;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the files of a plan, and copies those again that have failed for a passing reason, when all others are done.
 * Belongs to the thread that runs the copy.
 */
final class FileRounds {
    private static final Logger LOG = LoggerFactory.getLogger(FileRounds.class);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** What the rounds report to. Several threads call the methods at the same time. */
    interface Report {
        /** Receives a file that has failed for the last time. */
        void failed(CopyFailure failure);

        /** Receives a file that has failed and is tried again. */
        void retried(CopyFailure failure);

        void done(CopyStep step);
    }

    private final CopyContext context;
    private final CopyEvents events;
    private final int requests;
    private final Report report;
    private final Runnable tick;

    /**
     * Creates the rounds.
     *
     * @param requests the number of requests that source and target take at a time; 0 if it is not known
     */
    FileRounds(CopyContext context, CopyEvents events, int requests, Report report, Runnable tick) {
        this.context = context;
        this.events = events;
        this.requests = requests;
        this.report = report;
        this.tick = tick;
    }

    /** Copies all files. A fatal failure ends the copy. */
    void run(Iterator<CopyPlan.Item> files) throws IOException, InterruptedException {
        int left = context.options.retries();
        List<CopyPlan.Item> again = round(files, left > 0);
        for (long pause = FIRST_PAUSE_NANOS; !again.isEmpty(); pause = Math.min(2 * pause, MAX_PAUSE_NANOS)) {
            context.runtime.sleep(pause);
            left--;
            again = round(again.stream().map(this::now).iterator(), left > 0);
        }
    }

    /** Copies files, and returns those to copy again. */
    private List<CopyPlan.Item> round(Iterator<CopyPlan.Item> files, boolean mayRetry)
            throws IOException, InterruptedException {
        Queue<CopyPlan.Item> again = new ConcurrentLinkedQueue<>();
        Workers.Results results = new Workers.Results() {
            @Override
            public void failed(CopyPlan.Item item, CopyFailure failure) {
                if (mayRetry && PassingFailures.isPassing(failure.cause())) {
                    again.add(item);
                    report.retried(failure);
                } else {
                    report.failed(failure);
                }
            }

            @Override
            public void done(CopyStep step) {
                report.done(step);
            }
        };
        new Workers(context, events, files, requests, results, tick).run();
        return List.copyOf(again);
    }

    /** Returns the item with the attributes that its source has now: it may have changed. */
    private CopyPlan.Item now(CopyPlan.Item item) {
        FileEntry node = item.node();
        try {
            Optional<FileEntry> there = item.from().find(node.isRegularFile());
            node = there.filter(found -> found.type() == item.node().type()).orElse(node);
        } catch (IOException e) {
            LOG.debug("{} cannot be looked at, and the next attempt tells why", item.from(), e);
        }
        return new CopyPlan.Item(item.from(), node, item.to(), false, item.obstacle());
    }
}
