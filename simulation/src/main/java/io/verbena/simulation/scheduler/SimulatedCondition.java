package io.verbena.simulation.scheduler;

import java.util.ArrayDeque;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A condition on which strands wait. */
final class SimulatedCondition implements Condition {
    private final Scheduler scheduler;
    private final Lock lock;
    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();

    private record Waiter(Strand strand, long number) {}

    SimulatedCondition(Scheduler scheduler, Lock lock) {
        this.scheduler = scheduler;
        this.lock = lock;
    }

    /** Waits without the lock. Returns false where the time is over. */
    private boolean waitUntil(long time, boolean interruptible) {
        Strand me = scheduler.current();
        Waiter waiter = new Waiter(me, me.nextWait());
        waiters.add(waiter);
        int holds = release();
        boolean inTime = false;
        try {
            inTime = scheduler.suspend(time, interruptible);
        } finally {
            waiters.remove(waiter);
            take(holds);
        }
        return inTime;
    }

    private int release() {
        int holds = lock instanceof ReentrantLock reentrant ? reentrant.getHoldCount() : 1;
        for (int i = 0; i < holds; i++) {
            lock.unlock();
        }
        return holds;
    }

    private void take(int holds) {
        boolean told = false;
        while (!lock.tryLock()) {
            if (!told) {
                told = true;
                scheduler.fail("a strand waits and holds the lock " + lock);
            }
            if (scheduler.isEnding()) {
                return;
            }
            scheduler.suspend(scheduler.now() + 1_000, false);
        }
        for (int i = 1; i < holds; i++) {
            lock.lock();
        }
    }

    @Override
    public void await() throws InterruptedException {
        requireNoInterrupt();
        waitUntil(Long.MAX_VALUE, true);
        requireNoInterrupt();
    }

    @Override
    public void awaitUninterruptibly() {
        waitUntil(Long.MAX_VALUE, false);
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        requireNoInterrupt();
        if (nanos <= 0) {
            return nanos;
        }
        long end = scheduler.now() + nanos;
        waitUntil(end < 0 ? Long.MAX_VALUE : end, true);
        requireNoInterrupt();
        return end - scheduler.now();
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        requireNoInterrupt();
        long nanos = unit.toNanos(time);
        if (nanos <= 0) {
            return false;
        }
        long end = scheduler.now() + nanos;
        boolean inTime = waitUntil(end < 0 ? Long.MAX_VALUE : end, true);
        requireNoInterrupt();
        return inTime;
    }

    @Override
    public boolean awaitUntil(Date deadline) {
        throw new UnsupportedOperationException("no wait until a time of day");
    }

    private static void requireNoInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public void signal() {
        Waiter first = waiters.poll();
        if (first != null) {
            scheduler.wake(first.strand(), first.number());
        }
    }

    @Override
    public void signalAll() {
        while (!waiters.isEmpty()) {
            signal();
        }
    }
}
