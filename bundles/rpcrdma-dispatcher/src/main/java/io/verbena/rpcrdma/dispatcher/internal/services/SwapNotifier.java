package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.rpcrdma.dispatcher.internal.base.DurationConverter;
import io.verbena.runtime.Runtime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How connections are replaced, and the listeners that are told of each replacement. Thread safe. */
public final class SwapNotifier {
    private static final Logger LOG = LoggerFactory.getLogger(SwapNotifier.class);

    private final Runtime runtime;
    private final List<ConnectionSwapListener> listeners = new CopyOnWriteArrayList<>();
    private volatile SwapSettings settings = SwapSettings.DEFAULT;

    SwapNotifier(Runtime runtime) {
        this.runtime = runtime;
    }

    public SwapSettings settings() {
        return settings;
    }

    public void configure(SwapSettings changed) {
        settings = changed;
    }

    /** The latest end of a drain that begins now, on the runtime's clock. */
    public long drainDeadline() {
        return runtime.nanoTime() + DurationConverter.of(settings.drainTimeout());
    }

    public void add(ConnectionSwapListener listener) {
        listeners.add(listener);
    }

    public void remove(ConnectionSwapListener listener) {
        listeners.remove(listener);
    }

    /** A connection was replaced. */
    public void tell(SwapRecord swap) {
        LOG.info("{}", swap.message());
        for (ConnectionSwapListener listener : listeners) {
            try {
                listener.swapped(swap);
            } catch (Throwable e) {
                LOG.warn("a listener failed to take notice of a replaced connection", e);
            }
        }
    }
}
