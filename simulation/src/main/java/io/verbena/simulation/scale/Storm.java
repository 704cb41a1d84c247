package io.verbena.simulation.scale;

import java.util.List;

/**
 * How a fleet came back after all its connections were lost at once.
 *
 * @param members how many lost their connections
 * @param back when each had a write answered, since the server could be reached again
 * @param attempts to connect, in each second since the loss
 * @param rejected how many requests to connect the server rejected
 * @param settledFrom the second from which the pauses between attempts have their full length
 * @param settledTo the second in which the server came back
 */
record Storm(int members, Samples back, List<Integer> attempts, long rejected, int settledFrom, int settledTo) {
    /** The attempts in the seconds in which the server was away and pauses had their full length. */
    List<Integer> settled() {
        int to = Math.min(settledTo, attempts.size());
        return settledFrom >= to ? List.of() : attempts.subList(settledFrom, to);
    }

    /** How much the busiest of these seconds exceeds their mean; 0 where there are none. */
    double herd() {
        return PerSecond.peakToMean(settled());
    }
}
