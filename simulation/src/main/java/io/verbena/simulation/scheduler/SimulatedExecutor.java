package io.verbena.simulation.scheduler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor of a process: each task is a strand, so many at a time as there are threads. */
final class SimulatedExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private final Scheduler scheduler;
    private final SimulatedProcess process;
    private final String prefix;
    private final int threads;
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private final Set<SimulatedTask<?>> delayed = new LinkedHashSet<>();
    private final Set<Strand> running = new LinkedHashSet<>();
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private int started;
    private boolean isShutdown;

    SimulatedExecutor(Scheduler scheduler, SimulatedProcess process, String prefix, int threads) {
        this.scheduler = scheduler;
        this.process = process;
        this.prefix = prefix;
        this.threads = threads;
        process.add(this);
    }

    String prefix() {
        return prefix;
    }

    @Override
    public void execute(Runnable task) {
        if (isShutdown || scheduler.isEnding()) {
            throw new RejectedExecutionException(prefix + " was shut down");
        }
        queue.add(task);
        startWhatMay();
    }

    private void startWhatMay() {
        while (started < threads && !queue.isEmpty()) {
            started++;
            Runnable task = queue.poll();
            scheduler.start(process, prefix, () -> run(task));
        }
    }

    private void run(Runnable task) {
        Strand me = scheduler.current();
        running.add(me);
        try {
            task.run();
        } finally {
            running.remove(me);
            started--;
            startWhatMay();
            endIfOver();
        }
    }

    private void endIfOver() {
        if (isShutdown && started == 0 && queue.isEmpty()) {
            terminated.complete(null);
        }
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable task, T result) {
        return new SimulatedTask<>(scheduler, task, result);
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
        return new SimulatedTask<>(scheduler, task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        List<SimulatedTask<?>> self = new ArrayList<>();
        SimulatedTask<Void> made = new SimulatedTask<>(
                scheduler, scheduler.judged(process, task), null, 0, false, () -> delayed.removeAll(self));
        self.add(made);
        set(made, scheduler.now() + Math.max(0, unit.toNanos(delay)));
        return made;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        List<SimulatedTask<?>> self = new ArrayList<>();
        SimulatedTask<V> made = new SimulatedTask<>(scheduler, task, () -> delayed.removeAll(self));
        self.add(made);
        set(made, scheduler.now() + Math.max(0, unit.toNanos(delay)));
        return made;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initial, long period, TimeUnit unit) {
        return repeat(task, unit.toNanos(initial), unit.toNanos(period), true);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initial, long period, TimeUnit unit) {
        return repeat(task, unit.toNanos(initial), unit.toNanos(period), false);
    }

    private SimulatedTask<Void> repeat(Runnable task, long initialNanos, long periodNanos, boolean fixedRate) {
        if (periodNanos <= 0) {
            throw new IllegalArgumentException("the period is " + periodNanos + " ns");
        }
        List<SimulatedTask<?>> self = new ArrayList<>();
        SimulatedTask<Void> made = new SimulatedTask<>(
                scheduler,
                scheduler.judged(process, task),
                null,
                periodNanos,
                fixedRate,
                () -> delayed.removeAll(self));
        self.add(made);
        set(made, scheduler.now() + Math.max(0, initialNanos));
        return made;
    }

    private void set(SimulatedTask<?> task, long time) {
        if (isShutdown || scheduler.isEnding()) {
            throw new RejectedExecutionException(prefix + " was shut down");
        }
        delayed.add(task);
        task.timer(scheduler.at(time, () -> due(task), process), time);
    }

    private void due(SimulatedTask<?> task) {
        if (isShutdown || process.isDead() || !delayed.remove(task)) {
            return;
        }
        queue.add(() -> runDue(task));
        startWhatMay();
    }

    private void runDue(SimulatedTask<?> task) {
        if (!task.isPeriodic()) {
            task.run();
        } else if (task.runAgain() && !isShutdown && !scheduler.isEnding()) {
            set(task, task.nextTime());
        }
    }

    /** Whether the calling strand is one of this executor's. */
    boolean runsCaller() {
        return running.contains(scheduler.current());
    }

    CompletableFuture<Void> terminated() {
        return terminated;
    }

    @Override
    public void shutdown() {
        isShutdown = true;
        List<SimulatedTask<?>> waiting = new ArrayList<>(delayed);
        delayed.clear();
        waiting.forEach(task -> task.cancel(false));
        endIfOver();
    }

    @Override
    public List<Runnable> shutdownNow() {
        List<Runnable> never = new ArrayList<>(queue);
        queue.clear();
        never.addAll(delayed);
        shutdown();
        List.copyOf(running).forEach(strand -> strand.carrier().interrupt());
        return never;
    }

    @Override
    public boolean isShutdown() {
        return isShutdown;
    }

    @Override
    public boolean isTerminated() {
        return terminated.isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return process.runtime().awaitEnd(this, unit.toNanos(timeout));
    }
}
