package io.verbena.simulation.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A task of an executor, as a future for whose end strands wait. */
final class SimulatedTask<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    private final Scheduler scheduler;
    private final List<Runnable> listeners = new ArrayList<>();
    /** How long from the end of a run, or from its start, to the next; zero for a task that runs once. */
    private final long period;

    private final boolean fixedRate;
    private final Runnable onCancelled;
    private final int serial;
    private long time;
    private Timer timer;

    SimulatedTask(Scheduler scheduler, Callable<V> task) {
        super(task);
        this.scheduler = scheduler;
        serial = scheduler.nextTask();
        period = 0;
        fixedRate = false;
        onCancelled = () -> {};
    }

    SimulatedTask(Scheduler scheduler, Runnable task, V result) {
        this(scheduler, task, result, 0, false, () -> {});
    }

    SimulatedTask(Scheduler scheduler, Runnable task, V result, long period, boolean fixedRate, Runnable onCancelled) {
        super(task, result);
        this.scheduler = scheduler;
        serial = scheduler.nextTask();
        this.period = period;
        this.fixedRate = fixedRate;
        this.onCancelled = onCancelled;
    }

    SimulatedTask(Scheduler scheduler, Callable<V> task, Runnable onCancelled) {
        super(task);
        this.scheduler = scheduler;
        serial = scheduler.nextTask();
        period = 0;
        fixedRate = false;
        this.onCancelled = onCancelled;
    }

    void timer(Timer set, long at) {
        timer = set;
        time = at;
    }

    /** When the task runs again after a run that has just ended. */
    long nextTime() {
        return (fixedRate ? time : scheduler.now()) + period;
    }

    boolean runAgain() {
        return runAndReset();
    }

    void whenDone(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    protected void done() {
        if (timer != null) {
            timer.cancel();
        }
        if (isCancelled()) {
            onCancelled.run();
        }
        List.copyOf(listeners).forEach(Runnable::run);
        listeners.clear();
    }

    /** Identity hash codes are all the same here: sets of tasks would be lists. */
    @Override
    public int hashCode() {
        return serial;
    }

    @Override
    public boolean isPeriodic() {
        return period > 0;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(time - scheduler.now(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
