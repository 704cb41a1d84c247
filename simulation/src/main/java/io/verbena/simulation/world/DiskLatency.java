package io.verbena.simulation.world;

import io.verbena.simulation.disk.DiskOperation;
import io.verbena.simulation.disk.LatencyHook;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.scheduler.SimulatedProcess;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * What the disk takes. Others run while a strand waits for a directory to reach stable storage. All other operations
 * take time in which nobody runs, since the server holds locks then.
 */
final class DiskLatency implements LatencyHook {
    private static final long MICRO = 1_000;

    private final Scheduler scheduler;
    private final Supplier<SimulatedProcess> server;
    private final SplittableRandom random;
    private final long slowest;

    /** @param slowest how long an fsync takes at most, in nanoseconds */
    DiskLatency(Scheduler scheduler, Supplier<SimulatedProcess> server, SplittableRandom random, long slowest) {
        this.scheduler = scheduler;
        this.server = server;
        this.random = random;
        this.slowest = slowest;
    }

    @Override
    public void before(DiskOperation operation, long octets) {
        scheduler.hash().add(operation.name().hashCode() ^ (octets << 32));
        switch (operation) {
            case SYNC -> await(1 + random.nextLong(slowest));
            case FORCE, SYNC_ALL -> scheduler.spend(1 + random.nextLong(slowest));
            default -> scheduler.spend(random.nextLong(10 * MICRO));
        }
    }

    private void await(long nanos) {
        try {
            server.get().runtime().sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // as fsync(2), which is not interrupted
        }
    }
}
