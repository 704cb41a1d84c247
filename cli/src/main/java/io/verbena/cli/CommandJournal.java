package io.verbena.cli;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/**
 * Records which commands of a statement are running, and their first failure. The thread that runs the statement learns
 * of an interruption before the commands do. The failures of the commands contain more information about the
 * consequences of the interruption. May be used from any thread.
 */
public final class CommandJournal {
    private static final String VARIABLE = ".verbena.journal";

    @GuardedBy("this")
    private final Set<Thread> underWay = new HashSet<>();

    @GuardedBy("this")
    private CommandException failure;

    @GuardedBy("this")
    private boolean isEndedByInterrupt;

    @GuardedBy("this")
    private boolean isClosed;

    /** Creates a journal. The commands of the session write to it from now on. */
    public static CommandJournal begin(Session session) {
        CommandJournal journal = new CommandJournal();
        session.put(VARIABLE, journal);
        return journal;
    }

    /** Returns the journal of a session, or a new journal without a reader if the session has none. */
    static CommandJournal of(Session session) {
        return session.get(VARIABLE) instanceof CommandJournal journal ? journal : new CommandJournal();
    }

    /**
     * A command begins.
     *
     * @throws CommandFailure if the statement has ended: a loop of the shell may not have noticed an interrupt
     */
    synchronized void begun() throws CommandFailure {
        if (isClosed) {
            throw new CommandFailure(ExitStatus.INTERRUPTED, "interrupted");
        }
        underWay.add(Thread.currentThread());
    }

    synchronized void ended() {
        underWay.remove(Thread.currentThread());
        notifyAll();
    }

    synchronized void failed(CommandException how) {
        if (failure == null) {
            failure = how;
        }
    }

    /** Takes back the failure of a command that another one has run, and goes on after. */
    public static void forgive(Session session, Exception how) {
        CommandJournal.of(session).forgive(how);
    }

    private synchronized void forgive(Exception how) {
        if (failure == how) {
            failure = null;
        }
    }

    synchronized void endedByInterrupt() {
        isEndedByInterrupt = true;
    }

    /** Returns whether an interrupt has ended a command that runs until it is interrupted, and nothing has failed. */
    public synchronized boolean isEndedByInterrupt() {
        return isEndedByInterrupt && failure == null;
    }

    /** Ends the statement: no further command of it begins. Returns whether no command is running. */
    public synchronized boolean close() {
        isClosed = true;
        return underWay.isEmpty();
    }

    /** Returns the first failure. */
    public synchronized Optional<CommandException> failure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Interrupts the running commands, and waits until they have ended.
     *
     * @param time the longest wait
     */
    public synchronized void interrupt(long time, TimeUnit unit) throws InterruptedException {
        underWay.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + unit.toNanos(time);
        for (long left = unit.toNanos(time); !underWay.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
