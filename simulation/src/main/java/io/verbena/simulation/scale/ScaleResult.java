package io.verbena.simulation.scale;

import java.util.List;

/**
 * What became of a fleet.
 *
 * @param failures empty where everything was as it should be
 * @param hash of all events
 * @param operations how long each operation of any mount took
 * @param unfairness how much longer the median operation of the slowest mount took than that of the median mount
 * @param serverPeak the most direct memory that the server took from the JVM, in octets
 * @param clientPeak the most that one client process took
 * @param quiet renewals in each second of a time without operations before the restart
 * @param quietAfter the same after it
 * @param restart how the fleet came back from a restart of the server
 * @param cut how it came back from a loss of all connections at once
 * @param threads the most threads of the JVM at once
 * @param realSeconds how long the run took
 */
record ScaleResult(
        ScaleOptions options,
        List<String> failures,
        long hash,
        long steps,
        long nanos,
        Samples operations,
        double unfairness,
        long serverPeak,
        long clientPeak,
        List<Integer> quiet,
        List<Integer> quietAfter,
        Storm restart,
        Storm cut,
        int threads,
        double realSeconds) {}
