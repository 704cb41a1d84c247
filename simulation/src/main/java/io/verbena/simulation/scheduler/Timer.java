package io.verbena.simulation.scheduler;

/** Something that happens at a time. Timers of the same time happen in the order in which they were set. */
public final class Timer implements Comparable<Timer> {
    private final long time;
    private final long number;
    private final Runnable event;
    /** The process that has set it; null for the world. */
    private final SimulatedProcess owner;

    private boolean cancelled;

    Timer(long time, long number, Runnable event, SimulatedProcess owner) {
        this.time = time;
        this.number = number;
        this.event = event;
        this.owner = owner;
    }

    long time() {
        return time;
    }

    /** The event does not happen any more. */
    public void cancel() {
        cancelled = true;
    }

    SimulatedProcess owner() {
        return owner;
    }

    boolean isCancelled() {
        return cancelled;
    }

    void happen() {
        event.run();
    }

    @Override
    public int compareTo(Timer other) {
        int byTime = Long.compare(time, other.time);
        return byTime != 0 ? byTime : Long.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
