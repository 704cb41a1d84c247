package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.rpcrdma.ConnectionListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners that are told when connections come and go. Thread safe. */
public final class ConnectionListeners {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionListeners.class);

    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

    public void add(ConnectionListener listener) {
        listeners.add(listener);
    }

    public void remove(ConnectionListener listener) {
        listeners.remove(listener);
    }

    /**
     * Tells that there are other connections than before. What a listener throws is logged. The caller holds no lock.
     */
    public void tell() {
        for (ConnectionListener listener : listeners) {
            try {
                listener.connectionsChanged();
            } catch (Throwable e) {
                LOG.warn("a listener failed to take notice of a connection that came or went", e);
            }
        }
    }
}
