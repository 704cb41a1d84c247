package io.verbena.simulation.scheduler;

import io.verbena.runtime.Runtime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A process of the world: its strands, clock and random numbers. A process that was killed never runs again. */
public final class SimulatedProcess {
    private final Scheduler scheduler;
    private final String name;
    private final SplittableRandom random;
    private final SimulatedRuntime runtime;
    private final List<SimulatedExecutor> executors = new ArrayList<>();
    private boolean dead;
    private long pausedUntil;
    private long clockOffset;

    SimulatedProcess(Scheduler scheduler, String name, SplittableRandom random) {
        this.scheduler = scheduler;
        this.name = name;
        this.random = random;
        runtime = new SimulatedRuntime(scheduler, this, random);
    }

    public String name() {
        return name;
    }

    public Runtime runtime() {
        return runtime;
    }

    public Scheduler scheduler() {
        return scheduler;
    }

    void add(SimulatedExecutor executor) {
        executors.add(executor);
    }

    List<SimulatedExecutor> executors() {
        return executors;
    }

    SplittableRandom random() {
        return random;
    }

    /** Ends the process at once, as SIGKILL does: none of its strands runs again. */
    public void kill() {
        dead = true;
    }

    public boolean isDead() {
        return dead;
    }

    /** No strand of the process runs for a while, as on a host without a free processor. */
    public void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, scheduler.now() + nanos);
    }

    long pausedUntil() {
        return pausedUntil;
    }

    /** Sets the time of day of the process forward or back. */
    public void moveClock(long nanos) {
        clockOffset += nanos;
    }

    long clockOffset() {
        return clockOffset;
    }
}
