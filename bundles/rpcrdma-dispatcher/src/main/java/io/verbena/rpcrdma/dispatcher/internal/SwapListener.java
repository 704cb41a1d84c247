package io.verbena.rpcrdma.dispatcher.internal;

/** Told of connections that were replaced, on a thread of the transport's: must not block. */
public interface SwapListener {
    /** A connection was replaced. */
    void swapped(SwapRecord swap);
}
