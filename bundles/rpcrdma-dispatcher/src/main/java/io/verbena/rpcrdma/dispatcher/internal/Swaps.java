package io.verbena.rpcrdma.dispatcher.internal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How connections are replaced, and who is told when one was. Thread safe. */
final class Swaps {
    private static final Logger LOG = LoggerFactory.getLogger(Swaps.class);

    private final List<SwapListener> listeners = new CopyOnWriteArrayList<>();
    private volatile SwapSettings settings = SwapSettings.DEFAULT;

    SwapSettings settings() {
        return settings;
    }

    void configure(SwapSettings changed) {
        settings = changed;
    }

    /** When a drain that begins now is over at the latest, on the clock of {@link System#nanoTime}. */
    long drainDeadline() {
        return System.nanoTime() + Nanos.of(settings.drainTimeout());
    }

    void add(SwapListener listener) {
        listeners.add(listener);
    }

    void remove(SwapListener listener) {
        listeners.remove(listener);
    }

    /** A connection was replaced. */
    void tell(SwapRecord swap) {
        LOG.info("{}", swap.message());
        for (SwapListener listener : listeners) {
            try {
                listener.swapped(swap);
            } catch (RuntimeException e) {
                LOG.warn("a listener failed to take notice of a replaced connection", e);
            }
        }
    }
}
