package io.verbena.rpcrdma.dispatcher.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all connections of the transport share.
 *
 * @param services the providers, framings and negotiator that are there
 * @param workers the transport's threads
 * @param memory direct memory for later use
 * @param tuning sizes and bounds
 * @param versions what servers turned out to speak
 * @param ids numbers connections
 * @param swaps how connections are replaced
 * @param listeners told when there are others
 */
record Environment(
        Services services,
        Workers workers,
        DirectPool memory,
        Tuning tuning,
        KnownVersions versions,
        AtomicLong ids,
        Swaps swaps,
        ConnectionListeners listeners) {
    Environment(Services services, Tuning tuning) {
        this(
                services,
                new Workers(),
                new DirectPool(tuning.poolIdle()),
                tuning,
                new KnownVersions(tuning.versionsKept()),
                new AtomicLong(),
                new Swaps(),
                new ConnectionListeners());
    }
}
