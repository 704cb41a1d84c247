package io.verbena.simulation.network;

import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import io.verbena.verbs.Completion;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.RdmaException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Tells the handler of an end of completions, in their order and one call at a time. */
final class Delivery {
    private static final int MOST_AT_ONCE = 16;

    private final Scheduler scheduler;
    private final SimulatedProcess process;
    private final ConnectionHandler handler;
    private final String name;
    private final Runnable onEnded;
    private final ArrayDeque<Item> waiting = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private boolean isRunning;
    private boolean isLast;
    private RdmaException cause;
    private Thread thread;

    /** A completion, and what happens when the process takes it. */
    private record Item(Completion completion, Runnable taken) {}

    Delivery(Scheduler scheduler, SimulatedProcess process, ConnectionHandler handler, String name, Runnable onEnded) {
        this.scheduler = scheduler;
        this.process = process;
        this.handler = handler;
        this.name = name;
        this.onEnded = onEnded;
    }

    void add(Completion completion) {
        add(completion, () -> {});
    }

    /** @param taken runs when the process takes the completion: one that stands still does so later */
    void add(Completion completion, Runnable taken) {
        waiting.add(new Item(completion, taken));
        start();
    }

    void end(RdmaException why) {
        isLast = true;
        cause = why;
        start();
    }

    private void start() {
        if (!isRunning && !ended.isDone() && !process.isDead()) {
            isRunning = true;
            scheduler.start(process, name, this::run);
        }
    }

    private void run() {
        thread = Thread.currentThread();
        try {
            while (!waiting.isEmpty()) {
                Completion[] batch = new Completion[Math.min(MOST_AT_ONCE, waiting.size())];
                for (int i = 0; i < batch.length; i++) {
                    Item item = waiting.poll();
                    item.taken().run();
                    batch[i] = item.completion();
                }
                handler.onCompletions(batch, batch.length);
            }
            if (isLast) {
                handler.onDisconnected(cause);
                onEnded.run();
                ended.complete(null);
            }
        } finally {
            thread = null;
            isRunning = false;
        }
        if (!waiting.isEmpty() || (isLast && !ended.isDone())) {
            start();
        }
    }

    /**
     * Waits until the handler knows of the end; at once on the handler's own strand. An interrupt does not end the
     * wait, as with the other providers: who closes a connection gives its memory back.
     */
    void awaitEnd() {
        if (Thread.currentThread() == thread) {
            return;
        }
        boolean interrupted = false;
        while (!ended.isDone()) {
            try {
                process.runtime().await(ended, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
