package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpcrdma.ConnectionListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who wants to know of connections that come and go. Thread safe. */
final class ConnectionListeners {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionListeners.class);

    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

    void add(ConnectionListener listener) {
        listeners.add(listener);
    }

    void remove(ConnectionListener listener) {
        listeners.remove(listener);
    }

    /** There are others than before; a listener's failure is its own. With no lock held. */
    void tell() {
        for (ConnectionListener listener : listeners) {
            try {
                listener.connectionsChanged();
            } catch (RuntimeException e) {
                LOG.warn("a listener failed to take notice of a connection that came or went", e);
            }
        }
    }
}
