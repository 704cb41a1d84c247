package io.verbena.simulation.scheduler;

import io.verbena.simulation.logging.ErrorListener;
import java.util.concurrent.locks.LockSupport;

/**
 * A real thread that carries strands, one after the other. It runs while it holds the turn. A carrier that the runtime
 * gives out as a thread carries one strand only, and that strand begins when the thread is started.
 */
final class Carrier extends Thread implements ErrorListener {
    private final Scheduler scheduler;
    /** The strand of a thread that was given out; null for a carrier of many strands. */
    private final Strand own;

    private volatile boolean turn;
    private Strand strand;
    private boolean begun;

    /** Makes a carrier of many strands. */
    Carrier(Scheduler scheduler, long number) {
        super(null, null, "carrier-" + number, 0, false);
        this.scheduler = scheduler;
        own = null;
        setDaemon(true);
    }

    /** Makes a thread of a process. */
    Carrier(Scheduler scheduler, SimulatedProcess process, String name, Runnable task) {
        super(null, null, name, 0, false);
        this.scheduler = scheduler;
        own = new Strand(scheduler.nextNumber(), process, name, task);
        setDaemon(true);
    }

    /** Makes the strand of this thread ready to run. The thread itself begins when the strand runs. */
    @Override
    public synchronized void start() {
        if (own == null) {
            super.start();
        } else {
            own.carrier(this);
            scheduler.begin(own);
        }
    }

    Strand own() {
        return own;
    }

    /** The strand that this thread carries now. */
    Strand strand() {
        return strand;
    }

    /** Gives the turn to this thread, with a strand to run or to go on with; null ends the thread. */
    void takeTurn(Strand next) {
        strand = next;
        turn = true;
        if (begun) {
            LockSupport.unpark(this);
        } else {
            begun = true;
            super.start();
        }
    }

    /** Waits for the turn. An interrupt meanwhile is kept for the strand. */
    void awaitTurn() {
        boolean interrupted = false;
        while (!turn) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        turn = false;
        if (interrupted) {
            super.interrupt();
        }
    }

    @Override
    public void interrupt() {
        super.interrupt();
        Strand present = own == null ? strand : own;
        if (present != null) {
            scheduler.interrupted(present);
        }
    }

    @Override
    public void run() {
        awaitTurn();
        while (strand != null) {
            Strand present = strand;
            present.carrier(this);
            scheduler.execute(present);
            Thread.interrupted(); // belongs to the strand that has ended
            if (!scheduler.passOn(this)) {
                return;
            }
        }
    }

    /** Runs another strand next, in the same turn. */
    void carry(Strand next) {
        strand = next;
    }

    /** The code of the strand has logged an error: its world has failed. */
    @Override
    public void onError(String message, Throwable thrown) {
        if (strand != null) {
            scheduler.failIfAlive(
                    strand.process(),
                    strand + " has logged an error: " + message
                            + (thrown == null ? "" : ": " + Scheduler.text(thrown)));
        }
    }

    boolean isForMany() {
        return own == null;
    }
}
