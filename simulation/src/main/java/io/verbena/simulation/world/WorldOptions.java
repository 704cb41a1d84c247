package io.verbena.simulation.world;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What a seed decides of a world.
 *
 * @param disorder the share of steps that go to a strand at random
 * @param clients how many hosts mount the export
 * @param workers the strands of each that work
 * @param operations of each worker
 * @param delegations whether the server delegates files
 * @param remoteInvalidation whether Send with Invalidate works
 * @param lease of the server
 * @param mountOptions of all mounts
 * @param leastDelay of messages, in nanoseconds
 * @param spread of the delay
 * @param faults the mean time between two faults, in nanoseconds; zero for a world without
 * @param restarts whether the server's process dies, and its host loses its power
 * @param slowestSync how long stable storage takes at most, in nanoseconds
 * @param credits of the server, to each connection
 * @param diskErrors whether the disk fails, and is full
 * @param isSoft whether operations fail when the server does not answer in time
 * @param majorTimeout how long a call of a soft mount goes on
 * @param clientMemory of each client, in octets
 * @param serverMemory in octets
 * @param serverHeap what the server takes its shares of, for clients' state and for caches, in octets
 * @param replacements whether mounts are replaced, as by an update of the client's bundle
 * @param clientKills whether processes of clients are killed
 * @param sharing whether workers share more than one file, processes stand still for longer than a lease, and the
 *     server is stopped in order
 * @param directMemory whether only direct buffers can be registered; in worlds that share alone
 */
public record WorldOptions(
        double disorder,
        int clients,
        int workers,
        int operations,
        boolean delegations,
        boolean remoteInvalidation,
        Duration lease,
        String mountOptions,
        long leastDelay,
        long spread,
        long faults,
        boolean restarts,
        long slowestSync,
        int credits,
        boolean diskErrors,
        boolean isSoft,
        Duration majorTimeout,
        long clientMemory,
        long serverMemory,
        long serverHeap,
        boolean replacements,
        boolean clientKills,
        boolean sharing,
        boolean directMemory) {
    /** The first seed of a world that shares. Lower ones have the worlds that they had before there were these. */
    public static final long FIRST_SHARING = 1_000_000;

    private static final int SHORT_LEASES = 10;
    private static final long MICRO = 1_000;
    private static final long MEBI = 1 << 20;
    private static final long MILLI = 1_000_000;

    /** What a seed decides. */
    public static WorldOptions of(long seed, SplittableRandom random) {
        boolean sharing = seed >= FIRST_SHARING;
        double[] disorders = {0, 0.05, 0.3, 1};
        String[] versions = {"1", "2", "auto"};
        long[] memories = {MEBI << 6, MEBI << 4, MEBI << 3, 3 * MEBI};
        String[] sizes = {"4096", "16384", "65536", "1048576"};
        String size = sizes[random.nextInt(sizes.length)];
        boolean isSoft = random.nextInt(5) == 0;
        int retrans = isSoft ? random.nextInt(3) : 0;
        int timeo = 20 + random.nextInt(100);
        String mount = (isSoft ? "soft,retrans=" + retrans : "hard")
                + ",timeo=" + timeo
                + ",rpcrdma=" + versions[random.nextInt(versions.length)]
                + ",rsize=" + size + ",wsize=" + size
                + ",slots=" + (1 + random.nextInt(16))
                + ",nconnect=" + (random.nextInt(4) == 0 ? 2 + random.nextInt(3) : 1)
                + (random.nextInt(4) == 0 ? ",noac" : "")
                + (random.nextInt(4) == 0 ? ",noinvalidate" : "")
                + (random.nextInt(4) == 0 ? ",inline=1024" : "");
        return new WorldOptions(
                disorders[random.nextInt(disorders.length)],
                1 + random.nextInt(3),
                1 + random.nextInt(3),
                10 + random.nextInt(30),
                random.nextBoolean(),
                random.nextInt(4) != 0,
                Duration.ofSeconds(20 + random.nextInt(sharing ? SHORT_LEASES : 70)),
                mount,
                (5 + random.nextInt(200)) * MICRO,
                random.nextBoolean() ? 50 * MICRO : 5 * MILLI,
                random.nextInt(10) == 0 ? 0 : (20 + random.nextInt(1_000)) * MILLI,
                random.nextBoolean(),
                random.nextBoolean() ? 100 * MICRO : 30 * MILLI,
                random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 64,
                random.nextBoolean(),
                isSoft,
                Duration.ofMillis(100).multipliedBy(timeo * (retrans + 1L)),
                memories[random.nextInt(memories.length)],
                random.nextBoolean() ? MEBI << 6 : MEBI << 4,
                random.nextInt(4) == 0 ? MEBI << 3 : MEBI << 10,
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                sharing,
                sharing && random.nextBoolean());
    }

    /** The same world, for a client whose operations do not fail. */
    WorldOptions hard() {
        return new WorldOptions(
                disorder,
                clients,
                workers,
                operations,
                delegations,
                remoteInvalidation,
                lease,
                mountOptions.replaceFirst("^soft", "hard"),
                leastDelay,
                spread,
                faults,
                restarts,
                slowestSync,
                credits,
                diskErrors,
                false,
                majorTimeout,
                clientMemory,
                serverMemory,
                serverHeap,
                replacements,
                clientKills,
                sharing,
                directMemory);
    }
}
