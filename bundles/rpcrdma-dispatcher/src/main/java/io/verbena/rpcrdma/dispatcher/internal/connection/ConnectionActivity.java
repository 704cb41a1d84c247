package io.verbena.rpcrdma.dispatcher.internal.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.runtime.Runtime;

/**
 * Since when one connection stands, and when it last received a message. It tells a client whether the connection was
 * of use, and a listener how long the connection is idle. Thread safe.
 */
public final class ConnectionActivity {
    /**
     * The number of replies that show that a connection is of use: a session needs two to be bound to the connection
     * and checked.
     */
    private static final int MANY_REPLIES = 3;

    private final Runtime runtime;

    @GuardedBy("this")
    private Runnable onceEstablished;

    private volatile boolean established;
    private volatile long lastHeard;
    private volatile long establishedNanos;
    private volatile int replies;

    ConnectionActivity(Runtime runtime) {
        this.runtime = runtime;
        lastHeard = runtime.nanoTime();
    }

    /** The connection stands: its end will be told, and memory may be opened to the peer. */
    public void established() {
        Runnable waiting;
        establishedNanos = runtime.nanoTime();
        synchronized (this) {
            established = true;
            waiting = onceEstablished;
            onceEstablished = null;
        }
        if (waiting != null) {
            waiting.run();
        }
    }

    boolean isEstablished() {
        return established;
    }

    /**
     * Runs a task once the connection stands, at once where it does. Only one task can wait. Messages may arrive
     * before: the peer may learn of the connection earlier than the end that accepts it.
     */
    public void onceEstablished(Runnable task) {
        synchronized (this) {
            if (!established) {
                onceEstablished = task;
                return;
            }
        }
        task.run();
    }

    /** The peer has answered a call by this connection. Receive thread. */
    public void answered() {
        int before = replies;
        if (before < MANY_REPLIES) { // a volatile write for each reply would cost more than this read
            replies = before + 1;
        }
    }

    /** Completions arrived. Receive thread. */
    void heard() {
        lastHeard = runtime.nanoTime();
    }

    /**
     * How long the connection stood, in nanoseconds, where a call was answered by it; 0 where none was; {@link
     * Long#MAX_VALUE} where several were, since calls then make progress however short the connection stood.
     */
    public long usefulNanos() {
        if (replies == MANY_REPLIES) {
            return Long.MAX_VALUE;
        }
        return replies > 0 ? runtime.nanoTime() - establishedNanos : 0;
    }

    /** How long no message arrived, in nanoseconds; negative where the connection does not stand yet. */
    public long silentNanos() {
        return established ? Math.max(0, runtime.nanoTime() - lastHeard) : -1;
    }
}
