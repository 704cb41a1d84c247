package io.verbena.rpcrdma.dispatcher.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.Completion;
import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.ConnectionHandler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What has happened at an end of the {@link MemoryFabric} and its handler does not know yet, and the thread that tells
 * it. The fabric is its lock, as it is its end's.
 */
final class MemoryDelivery {
    private static final int BATCH = 16;

    /** A completion to be. */
    record Event(long id, Operation operation, int length, boolean invalidated, int tag) {
        Completion completion() {
            Completion completion = new Completion().set(id, operation, Completion.Status.SUCCESS, length);
            return invalidated ? completion.setInvalidated(tag) : completion;
        }
    }

    private final MemoryFabric fabric;
    private final ConnectionHandler handler;
    private final Runnable last;
    private final Thread thread;

    @GuardedBy("fabric")
    private final ArrayDeque<Event> events = new ArrayDeque<>();

    @GuardedBy("fabric")
    private int sends;

    @GuardedBy("fabric")
    private boolean held;

    @GuardedBy("fabric")
    private boolean ended;

    /**
     * @param name of the thread
     * @param last what the thread does when all is told
     */
    MemoryDelivery(MemoryFabric fabric, ConnectionHandler handler, String name, Runnable last) {
        this.fabric = fabric;
        this.handler = handler;
        this.last = last;
        thread = new Thread(this::deliver, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    void add(Event event) {
        synchronized (fabric) {
            events.add(event);
            sends += event.operation == Operation.RECEIVE ? 0 : 1;
            fabric.notifyAll();
        }
    }

    /** The posts to the send queue whose completions wait. */
    int sends() {
        synchronized (fabric) {
            return sends;
        }
    }

    /** Holds back what is added, or lets it through again. */
    void hold(boolean on) {
        synchronized (fabric) {
            held = on;
            fabric.notifyAll();
        }
    }

    /** Nothing is held back any more, and nothing waited for. */
    void end() {
        synchronized (fabric) {
            ended = true;
            hold(false);
        }
    }

    /** Waits until the handler knows of everything, but not where that is who waits. */
    void awaitEnd() {
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (thread.isAlive()) {
            throw new IllegalStateException("the handler of " + thread.getName() + " does not return");
        }
    }

    private void deliver() {
        for (List<Event> batch = next(); !batch.isEmpty(); batch = next()) {
            Completion[] completions = batch.stream().map(Event::completion).toArray(Completion[]::new);
            handler.onCompletions(completions, completions.length);
        }
        last.run();
    }

    /** Those that are next, once there are some; none at the end. */
    private List<Event> next() {
        List<Event> batch = new ArrayList<>();
        synchronized (fabric) {
            while ((events.isEmpty() || held) && !ended) {
                try {
                    fabric.wait();
                } catch (InterruptedException e) {
                    return batch;
                }
            }
            while (!events.isEmpty() && batch.size() < BATCH) {
                Event event = events.poll();
                sends -= event.operation == Operation.RECEIVE ? 0 : 1;
                batch.add(event);
            }
        }
        return batch;
    }
}
