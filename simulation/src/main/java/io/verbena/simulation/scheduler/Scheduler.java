package io.verbena.simulation.scheduler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs one strand at a time, which it chooses among those that are ready by random numbers of a seed. Time moves a
 * little with each step, and to the next timer where nothing is ready. A strand gives way where it waits, and nowhere
 * else. Strands are real threads that hand a turn on, so that code may wait anywhere on its stack.
 *
 * <p>All methods but {@link #run} are called in a turn.
 */
public final class Scheduler {
    private static final long STEP_NANOS = 200;
    private static final int MOST_UNWINDINGS = 200;
    /** How long a strand may hold its turn while its thread waits: nobody else runs who could wake it. */
    private static final int STUCK_SECONDS = 20;
    /** The same for a thread that runs, or would if the machine had time for it. */
    private static final int ENDLESS_SECONDS = 900;

    private final SplittableRandom random;
    private final double disorder;
    private final long mostSteps;
    private final EventHash hash = new EventHash();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final List<Strand> ready = new ArrayList<>();
    private final ArrayDeque<Carrier> idle = new ArrayDeque<>();
    private final Set<Strand> living = new LinkedHashSet<>();
    private final List<String> failures = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);

    private Consumer<String> story = line -> {};
    private boolean isTold;
    private long now = 1;
    private long numbers;
    private int tasks;
    private long steps;
    /** As {@link #steps}, for the thread that watches whether the world goes on. */
    private volatile long stepsSeen;

    private volatile Strand running;
    private boolean ending;
    private int lost;

    /**
     * @param random decides which strand runs
     * @param disorder the share of choices that are made at random; all others run the strand that is ready for longest
     * @param mostSteps a world that takes more has failed
     */
    public Scheduler(SplittableRandom random, double disorder, long mostSteps) {
        this.random = random;
        this.disorder = disorder;
        this.mostSteps = mostSteps;
    }

    /** Receives a line for each thing that happens, for people to read. */
    public void tellTo(Consumer<String> listener) {
        story = listener;
        isTold = true;
    }

    /** Whether somebody reads the story, so that it is worth to make its lines. */
    public boolean isTold() {
        return isTold;
    }

    /** Adds a line to the story. */
    public void tell(String line) {
        if (isTold) {
            story.accept(String.format("%14.6f  %s", now / 1e9, line));
        }
    }

    /** Tells of something that the world itself does, as of a fault, and adds it to the hash. */
    public void happened(String line) {
        hash.add(line.hashCode());
        tell(line);
    }

    /** Makes a process. */
    public SimulatedProcess process(String name) {
        return new SimulatedProcess(this, name, random.split());
    }

    /**
     * Runs a world: a strand of a process, and all that it starts. Returns when the strand has ended; what runs then is
     * abandoned. The calling thread is none of the world's.
     *
     * @return what went wrong: exceptions that nobody has caught, and a world that does not go on
     */
    public List<String> run(SimulatedProcess process, String name, Runnable main) throws InterruptedException {
        Strand first = strand(process, name, () -> {
            try {
                main.run();
            } catch (Exception | AssertionError e) {
                fail("the world's own strand has failed: " + text(e));
            } finally {
                ending = true;
            }
        });
        ready.remove(first);
        switchTo(first);
        long seen = -1;
        int quiet = 0;
        int stuck = 0;
        while (!over.await(1, TimeUnit.SECONDS)) {
            quiet = stepsSeen == seen ? quiet + 1 : 0;
            stuck = quiet > 0 && isWaiting(running) ? stuck + 1 : 0;
            seen = stepsSeen;
            if (stuck == STUCK_SECONDS || quiet == ENDLESS_SECONDS) {
                failures.add("a strand does not give way: " + stack(running));
                break;
            }
        }
        return List.copyOf(failures);
    }

    private static boolean isWaiting(Strand strand) {
        return strand != null && strand.carrier() != null && strand.carrier().getState() != Thread.State.RUNNABLE;
    }

    private static String stack(Strand strand) {
        StringBuilder text = new StringBuilder(String.valueOf(strand));
        if (strand != null && strand.carrier() != null) {
            for (StackTraceElement each : strand.carrier().getStackTrace()) {
                text.append("\n        at ").append(each);
            }
        }
        return text.toString();
    }

    /** The virtual time in nanoseconds. */
    public long now() {
        return now;
    }

    /** Lets time go by in which nobody runs, as for work that takes time. */
    public void spend(long nanos) {
        now += nanos;
    }

    public EventHash hash() {
        return hash;
    }

    public long steps() {
        return steps;
    }

    /** Strands whose stack could not be unwound at the end: their threads are left. */
    public int lost() {
        return lost;
    }

    /** Notes a failure of the world. Strands that are unwound at the end, also those of killed processes, have none. */
    public void fail(String failure) {
        if (!ending) {
            failures.add(failure);
            tell("FAILURE " + failure);
        }
    }

    /** Notes a failure of a process; what a process does at its end is none. */
    void failIfAlive(SimulatedProcess process, String failure) {
        if (!process.isDead()) {
            fail(failure);
        }
    }

    /**
     * The task of a timer, whose failure nobody reads: it is one of the world.
     *
     * @return the same task
     */
    Runnable judged(SimulatedProcess process, Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (WorldEnd e) {
                throw e;
            } catch (Throwable e) {
                failIfAlive(process, "a task of a timer of " + process.name() + " has failed: " + text(e));
                throw e;
            }
        };
    }

    long nextNumber() {
        return ++numbers;
    }

    int nextTask() {
        return ++tasks;
    }

    /** Has an event happen at a time. The event does not wait. */
    public Timer at(long time, Runnable event) {
        return at(time, event, null);
    }

    /** Has an event happen at a time, for a process. */
    Timer at(long time, Runnable event, SimulatedProcess owner) {
        Timer timer = new Timer(Math.max(time, now), nextNumber(), event, owner);
        timers.add(timer);
        return timer;
    }

    /** Has an event happen after some time. */
    public Timer after(long nanos, Runnable event) {
        return at(now + Math.max(0, nanos), event);
    }

    /** What a process still has: strands that have not ended, timers that are set, executors that take tasks. */
    public List<String> remains(SimulatedProcess process) {
        List<String> all = new ArrayList<>();
        living.stream().filter(each -> each.process() == process).forEach(each -> all.add("the strand " + each));
        timers.stream()
                .filter(each -> each.owner() == process && !each.isCancelled())
                .forEach(each -> all.add("a timer for " + (each.time() - now) / 1e9 + " s from now"));
        process.executors().stream()
                .filter(each -> !each.isShutdown())
                .forEach(each -> all.add("the executor " + each.prefix()));
        return all;
    }

    /** Starts a strand of a process. */
    public void start(SimulatedProcess process, String name, Runnable task) {
        if (!ending) {
            strand(process, name, task);
        }
    }

    private Strand strand(SimulatedProcess process, String name, Runnable task) {
        Strand strand = new Strand(nextNumber(), process, name, task);
        begin(strand);
        return strand;
    }

    void begin(Strand strand) {
        living.add(strand);
        ready.add(strand);
    }

    /** The strand of the calling thread. */
    Strand current() {
        if (Thread.currentThread() instanceof Carrier carrier && carrier.strand() != null) {
            return carrier.strand();
        }
        throw new IllegalStateException("no strand of a simulated world: " + Thread.currentThread());
    }

    boolean isEnding() {
        return ending;
    }

    /**
     * Lets the running strand wait.
     *
     * @param time when the wait ends by itself; {@link Long#MAX_VALUE} for never
     * @return false if the wait has ended by itself
     */
    boolean suspend(long time, boolean interruptible) {
        Strand me = current();
        requireWorld(me);
        long wait = me.beginWait(interruptible);
        if (time != Long.MAX_VALUE) {
            me.deadline(at(time, () -> {
                if (me.waitsIn(wait)) {
                    me.timeOut();
                    wake(me, wait);
                }
            }));
        }
        giveWay(me);
        return !me.isTimedOut();
    }

    /** Lets others run, now and then. */
    void yieldSometimes() {
        Strand me = current();
        requireWorld(me);
        if (disorder > 0 && random.nextDouble() < disorder / 2) {
            long wait = me.beginWait(false);
            wake(me, wait);
            giveWay(me);
        }
    }

    private void giveWay(Strand me) {
        Strand next = next();
        if (next != me) {
            switchTo(next);
            me.carrier().awaitTurn();
        }
        running = me;
        me.endWait();
        me.state(Strand.State.RUNNING);
        requireWorld(me);
    }

    private void requireWorld(Strand me) {
        if (ending || me.process().isDead()) {
            throw unwinding(me);
        }
    }

    private WorldEnd unwinding(Strand me) {
        if (!ending) { // a strand has killed its own process
            me.beginWait(false);
            Strand next = next();
            switchTo(next);
            me.carrier().awaitTurn();
            running = me;
        }
        if (me.unwind() > MOST_UNWINDINGS) {
            lost++;
            living.remove(me);
            Strand next = next();
            if (next == null) {
                over.countDown();
            } else {
                switchTo(next);
            }
            me.carrier().awaitTurn(); // for ever
        }
        return new WorldEnd();
    }

    /** Makes a strand ready that is in that wait. */
    void wake(Strand strand, long wait) {
        if (strand.waitsIn(wait)) {
            strand.state(Strand.State.READY);
            ready.add(strand);
        }
    }

    /** A thread was interrupted. */
    void interrupted(Strand strand) {
        if (strand.isInterruptible()) {
            strand.state(Strand.State.READY);
            ready.add(strand);
        }
    }

    /** Runs the task of a strand. */
    void execute(Strand strand) {
        running = strand;
        strand.state(Strand.State.RUNNING);
        try {
            if (!ending) {
                strand.task().run();
            }
        } catch (WorldEnd e) {
            // as it should
        } catch (Throwable e) {
            failIfAlive(strand.process(), "nobody has caught in " + strand + ": " + text(e));
        }
        strand.state(Strand.State.ENDED);
        living.remove(strand);
    }

    /** An exception with its stack, as text. */
    public static String text(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            text.append(each == thrown ? "" : "\n    by ").append(each);
            StackTraceElement[] stack = each.getStackTrace();
            for (int i = 0; i < Math.min(12, stack.length); i++) {
                text.append("\n        at ").append(stack[i]);
            }
        }
        return text.toString();
    }

    /**
     * Passes the turn on behind the end of a strand.
     *
     * @return whether the carrier has another strand to run
     */
    boolean passOn(Carrier carrier) {
        Strand next = next();
        if (next == null) {
            over.countDown();
            return false;
        }
        if (carrier.isForMany() && next.isFresh()) {
            carrier.carry(next);
            return true;
        }
        if (carrier.isForMany()) {
            idle.push(carrier);
            switchTo(next);
            carrier.awaitTurn();
            return true;
        }
        switchTo(next);
        return false;
    }

    private void switchTo(Strand next) {
        Carrier carrier = next.carrier();
        if (carrier == null) {
            carrier = idle.isEmpty() ? new Carrier(this, nextNumber()) : idle.pop();
        }
        carrier.takeTurn(next);
    }

    /** The strand that runs next; null where the world is over. */
    private Strand next() {
        while (!ending) {
            stepsSeen = ++steps;
            if (steps > mostSteps) {
                fail("the world takes more than " + mostSteps + " steps");
                ending = true;
                break;
            }
            while (!timers.isEmpty() && timers.peek().time() <= now) {
                happen(timers.poll());
            }
            if (!ready.isEmpty()) {
                Strand chosen = choose();
                if (chosen != null) {
                    now += STEP_NANOS;
                    hash.add(chosen.number() ^ (now << 20));
                    return chosen;
                }
            } else if (timers.isEmpty()) {
                fail("nothing runs any more; there wait " + living);
                ending = true;
            } else {
                now = Math.max(now, timers.peek().time());
            }
        }
        return nextToUnwind();
    }

    private void happen(Timer timer) {
        if (timer.isCancelled()) {
            return;
        }
        try {
            timer.happen();
        } catch (WorldEnd e) {
            throw e;
        } catch (RuntimeException | Error e) { // which the strand that happens to look for the next one must not get
            fail("an event has failed: " + text(e));
        }
    }

    private Strand choose() {
        int index =
                ready.size() > 1 && disorder > 0 && random.nextDouble() < disorder ? random.nextInt(ready.size()) : 0;
        Strand chosen = ready.remove(index);
        SimulatedProcess process = chosen.process();
        if (process.isDead()) {
            chosen.holdBack();
            return null;
        }
        if (process.pausedUntil() > now) {
            long wait = chosen.holdBack();
            at(process.pausedUntil(), () -> wake(chosen, wait));
            return null;
        }
        return chosen;
    }

    /** At the end each strand goes on once more, to unwind its stack. Strands that have not begun do not begin. */
    private Strand nextToUnwind() {
        living.removeIf(Strand::isFresh);
        if (!living.isEmpty()) {
            return living.iterator().next();
        }
        endIdle();
        return null;
    }

    private void endIdle() {
        while (!idle.isEmpty()) {
            idle.pop().takeTurn(null);
        }
    }
}
