package io.verbena.cli;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.CommandException;

/**
 * Which commands of a statement are under way, and what failed. Who runs the statement is told of an interruption at once,
 * before the commands have heard of it, which know more of what it leads to. May be used from any thread.
 */
public final class CommandJournal {
    private static final String VARIABLE = ".verbena.journal";

    // guarded by this
    private final Set<Thread> underWay = new HashSet<>();
    private CommandException failure;

    /** Has the commands of a session write a new one, from now on. */
    public static CommandJournal begin(Session session) {
        CommandJournal journal = new CommandJournal();
        session.put(VARIABLE, journal);
        return journal;
    }

    /** That of a session; one that nobody reads where none was begun. */
    static CommandJournal of(Session session) {
        return session.get(VARIABLE) instanceof CommandJournal journal ? journal : new CommandJournal();
    }

    synchronized void begun() {
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

    /** The first failure. */
    public synchronized Optional<CommandException> failure() {
        return Optional.ofNullable(failure);
    }

    /** Interrupts the commands that are under way, and waits until they have ended, so long at most. */
    public synchronized void interrupt(long time, TimeUnit unit) throws InterruptedException {
        underWay.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + unit.toNanos(time);
        for (long left = unit.toNanos(time); !underWay.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
