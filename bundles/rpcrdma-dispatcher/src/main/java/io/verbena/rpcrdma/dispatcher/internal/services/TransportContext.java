package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.memory.MemoryBudget;
import io.verbena.rpcrdma.dispatcher.internal.base.PeerBounds;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.base.Workers;
import io.verbena.runtime.Runtime;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The objects that all connections of one transport share.
 *
 * @param runtime clocks, threads and random numbers
 * @param services the providers, framings and negotiator that are present
 * @param workers the threads of the transport
 * @param memory all buffers are leased from it
 * @param limits sizes and bounds
 * @param versions the versions that servers turned out to speak
 * @param ids numbers connections
 * @param bounds how long peers may take
 * @param swaps how connections are replaced, and who is told
 * @param listeners told when there are other connections
 */
public record TransportContext(
        Runtime runtime,
        Services services,
        Workers workers,
        MemoryBudget memory,
        TransportLimits limits,
        KnownVersions versions,
        AtomicLong ids,
        AtomicReference<PeerBounds> bounds,
        SwapNotifier swaps,
        ConnectionListeners listeners) {
    public TransportContext(Runtime runtime, TransportLimits limits, MemoryBudget memory) {
        this(
                runtime,
                new Services(runtime),
                new Workers(runtime),
                memory,
                limits,
                new KnownVersions(limits.versionsKept(), runtime),
                new AtomicLong(),
                new AtomicReference<>(PeerBounds.DEFAULT),
                new SwapNotifier(runtime),
                new ConnectionListeners());
    }
}
