package io.verbena.verbs.natives.internal;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * What uses a provider's event channel and devices. Once the provider is stopped there comes no more of it, and what
 * they take is freed with the last: whoever stops it may be one of them, a connection's handler say. Any thread.
 */
final class Occupants {
    private final Runnable release;

    // guarded by this
    private final Set<NativeConnection> connections = new HashSet<>();
    private final Set<NativeListener> listeners = new HashSet<>();
    private final Set<CmId> waiting = new HashSet<>();
    private int operations;
    private boolean stopped;
    private boolean releasing;
    private boolean released;

    /** @param release frees what they all use; called once */
    Occupants(Runnable release) {
        this.release = release;
    }

    /**
     * An operation begins that uses the libraries, until {@link #end}.
     *
     * @throws RdmaException RESOURCES if the provider has been stopped
     */
    synchronized void begin() throws RdmaException {
        checkNotStopped();
        operations++;
    }

    private void checkNotStopped() throws RdmaException {
        if (stopped) {
            throw new RdmaException(Kind.RESOURCES, "the provider has been stopped");
        }
    }

    void end() {
        synchronized (this) {
            operations--;
            notifyAll();
        }
        releaseIfLast();
    }

    /** An id whose steps an operation waits for; they are broken off when the provider stops. */
    synchronized void add(CmId id) {
        waiting.add(id);
        if (stopped) {
            id.abort();
        }
    }

    synchronized void remove(CmId id) {
        waiting.remove(id);
    }

    /** A connection comes into being. */
    synchronized void add(NativeConnection connection) throws RdmaException {
        checkNotStopped();
        connections.add(connection);
    }

    void remove(NativeConnection connection) {
        synchronized (this) {
            connections.remove(connection);
        }
        releaseIfLast();
    }

    /** A listener that an operation has made. */
    synchronized void add(NativeListener listener) {
        listeners.add(listener);
    }

    /** The listener is closed, and all its requests are decided. */
    void remove(NativeListener listener) {
        synchronized (this) {
            listeners.remove(listener);
        }
        releaseIfLast();
    }

    /**
     * Breaks off what is under way, and ends the rest. What the calling thread is inside of ends after this has returned.
     */
    void stop() {
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
            waiting.forEach(CmId::abort);
        }
        await(() -> operations == 0);
        listeners().forEach(NativeListener::close);
        List<NativeConnection> last = connections();
        last.forEach(NativeConnection::beginClose);
        last.forEach(NativeConnection::close);
        releaseIfLast();
        await(() -> !releasing || released);
    }

    private synchronized List<NativeListener> listeners() {
        return List.copyOf(listeners);
    }

    private synchronized List<NativeConnection> connections() {
        return List.copyOf(connections);
    }

    private void releaseIfLast() {
        synchronized (this) {
            if (!stopped || releasing || operations > 0 || !listeners.isEmpty() || !connections.isEmpty()) {
                return;
            }
            releasing = true;
        }
        try {
            release.run();
        } finally {
            synchronized (this) {
                released = true;
                notifyAll();
            }
        }
    }

    /** Waits until that holds, whatever comes. */
    private synchronized void await(BooleanSupplier condition) {
        boolean interrupted = false;
        while (!condition.getAsBoolean()) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
