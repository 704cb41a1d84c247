package io.verbena.simulation.world;

import io.verbena.simulation.disk.DiskFaults;
import io.verbena.simulation.network.SimulatedNetwork;
import io.verbena.simulation.scheduler.Scheduler;
import java.util.function.LongPredicate;

/** Receives what the work finds wrong, and what excuses it. */
public final class Judge {
    /** Twice as long as a process stands still, for what it hears late and what it hears in time behind that. */
    private static final long LATE_NANOS = 8_000_000_000L;
    /** No fault lasts longer. */
    private static final long LONGEST_FAULT = 50_000_000_000L;

    private final Scheduler scheduler;
    private final ServerHost server;
    private final SimulatedNetwork network;
    private final DiskFaults disk;
    private final LongPredicate faults;
    private final long lease;
    private final boolean sharing;
    /** When a client was killed last. */
    private long killed;

    private long operations;
    private long counted;

    /** @param faults whether a fault has begun in the last so many nanoseconds */
    Judge(
            Scheduler scheduler,
            ServerHost server,
            SimulatedNetwork network,
            DiskFaults disk,
            LongPredicate faults,
            WorldOptions options) {
        this.disk = disk;
        this.faults = faults;
        this.scheduler = scheduler;
        this.server = server;
        this.network = network;
        lease = options.lease().toNanos();
        sharing = options.sharing();
    }

    /** Something is wrong. */
    public void fail(String what) {
        scheduler.fail(what);
    }

    /** An operation begins; the result is for {@link #hasRestartedSince}. */
    public int begin(String what) {
        operations++;
        scheduler.tell(what);
        return run();
    }

    /** The present run of the server, for {@link #hasRestartedSince}. */
    public int run() {
        return server.process().isDead() ? server.starts() - 1 : server.starts();
    }

    /**
     * Whether the server has restarted since then. A restarted server has no reply cache: what cannot be done twice may
     * fail where the first reply was lost.
     */
    public boolean hasRestartedSince(int begun) {
        return server.starts() != begun || server.process().isDead();
    }

    /**
     * Whether the server has restarted so often since then that a client gives up data that the server has lost each
     * time.
     */
    public boolean mayBeGivenUp(int begun) {
        return server.starts() - begun >= 8;
    }

    /**
     * How often the server's host has lost its power so far, which takes what was read of a file and is not on stable
     * storage.
     */
    public int powerLosses() {
        return server.powerLosses();
    }

    /** How many operations of the disk have failed so far. */
    public long diskFailures() {
        return disk.reports();
    }

    public long now() {
        return scheduler.now();
    }

    public long leaseNanos() {
        return lease;
    }

    /** Whether files are shared besides the counter. */
    public boolean isSharing() {
        return sharing;
    }

    /**
     * Whether the server may have forgotten a client since then, since it had taken nothing of it that renews a lease
     * for so long as one, where a process that stands still hears late. A server whose framing is being replaced does
     * not hear what comes in its version. A forgotten client has lost its locks, and its replies. A client that was
     * silent without a fault should have renewed its lease.
     */
    public boolean mayBeForgotten(ClientHost client, long since) {
        boolean hasBeenFault = faults.test(scheduler.now() - since + lease + LONGEST_FAULT);
        return hasBeenFault
                && network.silences(client.address(), server.address())
                        .hasBeen(lease - LATE_NANOS, since, scheduler.now());
    }

    /** Whether a fault has begun in the last so many nanoseconds, and may be what an operation tells of. */
    public boolean hasBeenFault(long nanos) {
        return faults.test(nanos);
    }

    /** Whether the server has restarted, and its grace period of a lease has gone on in the last nanoseconds. */
    public boolean hasBeenGrace(long nanos) {
        return server.starts() > 1 && scheduler.now() - server.lastStart() <= lease + nanos;
    }

    /** How long the grace period of the server is at most. */
    public long graceNanos() {
        return lease;
    }

    /**
     * Whether the server may refuse a lock that no living client holds, or could do so in the last so many nanoseconds.
     * In the lease after each of its starts it is in its grace period, where a client that has died does not reclaim.
     * For a lease after the death of a client it keeps what the client held.
     */
    public boolean hasKeptLocks(long nanos) {
        return scheduler.now() - Math.max(server.lastStart(), killed) <= lease + nanos;
    }

    /** The process of a client has been killed. */
    void clientKilled() {
        killed = scheduler.now();
    }

    /** A worker has counted up. */
    public void counted() {
        counted++;
    }

    /** How often the workers, and the judge in the end, have counted up. */
    long counts() {
        return counted;
    }

    public void tell(String what) {
        scheduler.tell(what);
    }

    long operations() {
        return operations;
    }
}
