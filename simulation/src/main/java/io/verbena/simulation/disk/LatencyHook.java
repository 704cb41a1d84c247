package io.verbena.simulation.disk;

/** Charges the time that operations of a disk take. */
@FunctionalInterface
public interface LatencyHook {
    /** Charges nothing. */
    LatencyHook NONE = (operation, octets) -> {};

    /**
     * Called by the thread of an operation before the operation takes effect. Other threads may use the disk meanwhile,
     * and the power may fail, if {@link DiskOperation#maySuspend}. A force or a sync then covers what came before this
     * call alone.
     *
     * @param octets how many are read, written or forced; 0 for an operation without data
     */
    void before(DiskOperation operation, long octets);
}
