package io.verbena.verbs.natives.internal.provider;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.connection.CmId;
import io.verbena.verbs.natives.internal.connection.NativeConnection;
import io.verbena.verbs.natives.internal.connection.Threads;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The users of a provider's event channel and devices: operations, listeners, connections. Once the provider is stopped
 * no user is added, and the shared resources are freed with the last user. The thread that stops the provider may
 * belong to one of them, such as the handler of a connection. Any thread.
 */
final class ProviderUsers {
    private final Runnable release;

    @GuardedBy("this")
    private final Set<NativeConnection> connections = new HashSet<>();

    @GuardedBy("this")
    private final Set<NativeListener> listeners = new HashSet<>();

    @GuardedBy("this")
    private final Set<CmId> waiting = new HashSet<>();

    @GuardedBy("this")
    private int operations;

    @GuardedBy("this")
    private boolean stopped;

    @GuardedBy("this")
    private boolean releasing;

    @GuardedBy("this")
    private boolean released;

    /** @param release frees the shared resources; called once */
    ProviderUsers(Runnable release) {
        this.release = release;
    }

    /**
     * Begins an operation that uses the libraries, until {@link #end}.
     *
     * @throws RdmaException RESOURCES if the provider has been stopped
     */
    synchronized void begin() throws RdmaException {
        checkNotStopped();
        operations++;
    }

    @GuardedBy("this")
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

    /** Adds an id whose steps an operation waits for. The steps are aborted when the provider stops. */
    synchronized void add(CmId id) {
        waiting.add(id);
        if (stopped) {
            id.abort();
        }
    }

    synchronized void remove(CmId id) {
        waiting.remove(id);
    }

    /** Adds a new connection. */
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

    /** Adds a listener that an operation has created. */
    synchronized void add(NativeListener listener) {
        listeners.add(listener);
    }

    /** Removes a listener that is closed and has no pending request. */
    void remove(NativeListener listener) {
        synchronized (this) {
            listeners.remove(listener);
        }
        releaseIfLast();
    }

    /**
     * Aborts operations, and closes listeners and connections. A connection or listener whose handler or acceptor is
     * the caller ends after this has returned, and so does one whose handler hangs past the deadline.
     */
    void stop() {
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
            waiting.forEach(CmId::abort);
        }
        long deadline = Threads.endDeadline();
        await(this::isIdle, deadline);
        listeners().forEach(NativeListener::close);
        List<NativeConnection> last = connections();
        last.forEach(NativeConnection::beginClose);
        last.forEach(connection -> connection.close(deadline));
        releaseIfLast();
        await(this::hasNoReleaseUnderWay, deadline);
    }

    private synchronized boolean isIdle() {
        return operations == 0;
    }

    private synchronized boolean hasNoReleaseUnderWay() {
        return !releasing || released;
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

    /**
     * Waits until the condition holds or the deadline has passed; an interrupt does not end the wait. A user that is
     * left then is freed when it ends.
     */
    private synchronized void await(BooleanSupplier condition, long deadline) {
        boolean interrupted = false;
        for (long left = 1; left > 0 && !condition.getAsBoolean(); ) {
            left = deadline - System.nanoTime();
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
