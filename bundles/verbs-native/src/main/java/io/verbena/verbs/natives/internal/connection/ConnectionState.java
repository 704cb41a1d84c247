package io.verbena.verbs.natives.internal.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.queue.QueuePair;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The state of one end of a connection, and the steps from one state to the next, which use the end's id. Any thread.
 */
public final class ConnectionState {
    private enum State {
        NEW,
        CONNECTING,
        CONNECTED,
        ENDED
    }

    private final NativeLibraries libraries;
    private final CmId id;
    private final CmHandshake handshake;

    /** Held while the id is used, and while its queue pair is destroyed. The id is not used after that. */
    private final ReentrantLock idLock = new ReentrantLock();

    private volatile State state = State.NEW;

    /** Whether connecting or accepting has begun. */
    @GuardedBy("this")
    private boolean begun;

    public ConnectionState(NativeLibraries libraries, CmId id, CmHandshake handshake) {
        this.libraries = libraries;
        this.id = id;
        this.handshake = handshake;
    }

    /** Connects or accepts, after {@link #begin}. Returns the event that reports the established connection. */
    CmEvent establish(byte[] privateData, long deadline, Consumer<CmEvent> then) throws RdmaException {
        idLock.lock();
        try {
            // where the connection has ended meanwhile, the id may be destroyed
            checkNotEnded();
            CmEvent event = handshake.perform(libraries, id, privateData, deadline);
            synchronized (this) {
                checkNotEnded();
                state = State.CONNECTED;
            }
            then.accept(event);
            return event;
        } finally {
            idLock.unlock();
        }
    }

    /**
     * Begins to connect or accept.
     *
     * @throws RdmaException DISCONNECTED where this end has ended before
     * @throws IllegalStateException the second time
     */
    synchronized void begin() throws RdmaException {
        if (begun) {
            throw new IllegalStateException("this end was connected or accepted before");
        }
        checkNotEnded();
        begun = true;
        state = State.CONNECTING;
    }

    private void checkNotEnded() throws RdmaException {
        if (state == State.ENDED) {
            throw new RdmaException(Kind.DISCONNECTED, "this end has ended before the connection stood");
        }
    }

    boolean isConnected() {
        return state == State.CONNECTED;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    /** Rejects the peer's request, unless it was accepted or has ended. */
    void reject() {
        idLock.lock();
        try {
            if (state == State.NEW) {
                libraries.cm().reject(id.id(), new byte[0]);
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("a peer did not take its rejection", e);
        } finally {
            idLock.unlock();
        }
    }

    /** Notes the end; a step that a thread waits for fails. */
    void end() {
        synchronized (this) {
            state = State.ENDED;
        }
        id.abort();
    }

    /** Disconnects: the queue pair fails, and the device carries out no more requests of the peer. */
    void disconnect(QueuePair queuePair) {
        idLock.lock();
        try {
            if (queuePair.hasQueues()) {
                libraries.cm().disconnect(id.id());
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("disconnecting failed", e);
        } finally {
            idLock.unlock();
        }
    }

    /** Destroys the queues; called after {@link #end}, so that no step uses them. */
    void destroyQueues(QueuePair queuePair) {
        idLock.lock();
        try {
            queuePair.destroyQueues();
        } finally {
            idLock.unlock();
        }
    }
}
