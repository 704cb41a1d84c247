package io.verbena.simulation.scheduler;

/** A thread of a simulated process: a task that runs, is ready to run, or waits. */
final class Strand {
    /** The states, in the order in which a strand passes through them; it may wait several times. */
    enum State {
        READY,
        RUNNING,
        WAITING,
        ENDED
    }

    private final long number;
    private final SimulatedProcess process;
    private final String name;
    private final Runnable task;

    private State state = State.READY;
    /** The real thread; null before the strand runs for the first time. */
    private Carrier carrier;
    /** The number of the present wait: a waker names the wait that it ends. */
    private long wait;

    private boolean interruptible;
    private boolean timedOut;
    private Timer deadline;
    private int unwindings;

    Strand(long number, SimulatedProcess process, String name, Runnable task) {
        this.number = number;
        this.process = process;
        this.name = name;
        this.task = task;
    }

    long number() {
        return number;
    }

    SimulatedProcess process() {
        return process;
    }

    String name() {
        return name;
    }

    Runnable task() {
        return task;
    }

    State state() {
        return state;
    }

    void state(State next) {
        state = next;
    }

    Carrier carrier() {
        return carrier;
    }

    void carrier(Carrier thread) {
        carrier = thread;
    }

    boolean isFresh() {
        return carrier == null;
    }

    /** Begins a wait. */
    long beginWait(boolean mayBeInterrupted) {
        state = State.WAITING;
        interruptible = mayBeInterrupted;
        timedOut = false;
        return ++wait;
    }

    /** Lets a strand that is ready wait once more, before it learns how its wait has ended. */
    long holdBack() {
        state = State.WAITING;
        interruptible = false;
        return ++wait;
    }

    /** The number of the next wait: wakers that are set up before the wait begins name it. */
    long nextWait() {
        return wait + 1;
    }

    boolean waitsIn(long number) {
        return state == State.WAITING && wait == number;
    }

    boolean isInterruptible() {
        return state == State.WAITING && interruptible;
    }

    void deadline(Timer timer) {
        deadline = timer;
    }

    /** The time of the wait is over. */
    void timeOut() {
        timedOut = true;
    }

    boolean isTimedOut() {
        return timedOut;
    }

    void endWait() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    /** Counts the times that the strand was told of the end of its world. */
    int unwind() {
        return ++unwindings;
    }

    /** Identity hash codes are all the same here: sets of strands would be lists. */
    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return process.name() + "/" + name + "#" + number;
    }
}
