package io.verbena.simulation.scale;

import java.time.Duration;

/**
 * What a fleet is, and what happens to it.
 *
 * @param seed decides delays, pauses and the order of strands
 * @param processes how many client processes there are, each on a host of its own
 * @param mounts of each process
 * @param clientMemory the budget of direct memory of each process, in octets
 * @param serverMemory that of the server
 * @param maxConnections of the server's listener
 * @param credits that the server grants each connection
 * @param arrival the time in which the mounts come, one after the other
 * @param work the time in which mounts work
 * @param pause the longest time between two operations of a mount
 * @param quiet the time without operations in which leases are renewed, once before the restart and once after it
 * @param down how long the server is away between its two processes
 */
public record ScaleOptions(
        long seed,
        int processes,
        int mounts,
        long clientMemory,
        long serverMemory,
        int maxConnections,
        int credits,
        Duration arrival,
        Duration work,
        Duration pause,
        Duration quiet,
        Duration down) {
    /** The lease and the grace period, as an export has them where nothing else is configured. */
    static final Duration LEASE = Duration.ofSeconds(90);

    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;
    private static final int CREDITS = 16;
    /** What the server has for each mount. */
    private static final long SERVER_OF_EACH = 256 * KIB;

    private static final long CLIENT_OF_EACH = 512 * KIB;

    /** So many hosts with one mount each. */
    public static ScaleOptions clients(int count, long seed) {
        return of(seed, count, 1);
    }

    /** One process with so many mounts. */
    public static ScaleOptions mounts(int count, long seed) {
        return of(seed, 1, count);
    }

    private static ScaleOptions of(long seed, int processes, int mounts) {
        int all = processes * mounts;
        // one host gets half of the memory
        long server = (processes == 1 ? 2 : 1) * SERVER_OF_EACH * all;
        return new ScaleOptions(
                seed,
                processes,
                mounts,
                Math.max(4 * MIB, mounts * CLIENT_OF_EACH),
                Math.max(64 * MIB, server),
                Math.max(256, all + all / 4),
                CREDITS,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofSeconds(20),
                Duration.ofMinutes(2),
                Duration.ofSeconds(20));
    }

    int all() {
        return processes * mounts;
    }

    /** As this one, with a shorter life. */
    ScaleOptions brief() {
        return new ScaleOptions(
                seed,
                processes,
                mounts,
                clientMemory,
                serverMemory,
                maxConnections,
                credits,
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                Duration.ofSeconds(10),
                Duration.ofSeconds(90),
                down);
    }

    /** As this one, with another bound on the connections of the server. */
    public ScaleOptions withMaxConnections(int most) {
        return new ScaleOptions(
                seed, processes, mounts, clientMemory, serverMemory, most, credits, arrival, work, pause, quiet, down);
    }
}
