package io.verbena.rpcrdma.dispatcher.internal.services;

/** Told of connections that were replaced, on a thread of the transport. Must not block. */
public interface ConnectionSwapListener {
    /** A connection was replaced. */
    void swapped(SwapRecord swap);
}
