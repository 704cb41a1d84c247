package io.verbena.verbs.natives.internal;

import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** The states of one end of a connection, and the steps from one to the next that are taken with its id. */
final class ConnectionSteps {
    private enum State {
        NEW,
        CONNECTING,
        CONNECTED,
        ENDED
    }

    private final Natives natives;
    private final CmId id;
    private final Handshake handshake;

    /** Held while the id is used, and while its queue pair goes, after which it is used no more. */
    private final ReentrantLock steps = new ReentrantLock();

    private volatile State state = State.NEW;

    /** Whether it was connected or accepted, or is; guarded by this. */
    private boolean begun;

    ConnectionSteps(Natives natives, CmId id, Handshake handshake) {
        this.natives = natives;
        this.id = id;
        this.handshake = handshake;
    }

    /** Connects or accepts, after {@link #begin}. Returns the event that tells that the connection stands. */
    CmEvent establish(byte[] privateData, long deadline, Consumer<CmEvent> then) throws RdmaException {
        steps.lock();
        try {
            // whatever has ended it meanwhile may have destroyed the id
            checkNotEnded();
            CmEvent event = handshake.perform(natives, id, privateData, deadline);
            synchronized (this) {
                checkNotEnded();
                state = State.CONNECTED;
            }
            then.accept(event);
            return event;
        } finally {
            steps.unlock();
        }
    }

    /**
     * This end is to be connected, or accepted.
     *
     * @throws RdmaException DISCONNECTED where it has ended before
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

    /** Refuses the peer's request, unless that was accepted or is over. */
    void reject() {
        steps.lock();
        try {
            if (state == State.NEW) {
                natives.cm().reject(id.id(), new byte[0]);
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("a peer did not take its rejection", e);
        } finally {
            steps.unlock();
        }
    }

    /** The end has come; a step that waits is broken off. */
    void end() {
        synchronized (this) {
            state = State.ENDED;
        }
        id.abort();
    }

    /** Disconnects: the queue pair fails, and carries out nothing more of what the peer asks for. Any thread. */
    void disconnect(QueuePair queuePair) {
        steps.lock();
        try {
            if (queuePair.hasQueues()) {
                natives.cm().disconnect(id.id());
            }
        } catch (NativeException e) {
            Log.LOGGER.debug("disconnecting failed", e);
        } finally {
            steps.unlock();
        }
    }

    /** Destroys the queues, which no step uses then; after {@link #end}. */
    void destroyQueues(QueuePair queuePair) {
        steps.lock();
        try {
            queuePair.destroyQueues();
        } finally {
            steps.unlock();
        }
    }
}
