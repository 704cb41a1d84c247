package io.verbena.nfs41.server.internal.callback;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.server.internal.util.FailureLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callback path to one client: the back channels of its sessions (RFC 8881 section 2.10.3.1). A callback that finds
 * no working back channel waits until the client has bound a connection to one. Thread safe; calls no other object with
 * its lock held.
 */
public final class CallbackPath {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackPath.class);

    private final List<BackChannel> channels = new CopyOnWriteArrayList<>();

    @GuardedBy("itself")
    private final Deque<Callback> waiting = new ArrayDeque<>();

    public void add(BackChannel channel) {
        channels.add(channel);
    }

    /** Removes the back channel of an ended session. Its callbacks go to the other back channels. */
    public void remove(BackChannel channel) {
        channels.remove(channel);
        callAll(channel.close());
    }

    /** Whether a back channel works. */
    public boolean isUp() {
        return channels.stream().anyMatch(BackChannel::isUp);
    }

    /** Whether a back channel has worked, and none works now. */
    public boolean isDown() {
        return !isUp() && channels.stream().anyMatch(BackChannel::wasUp);
    }

    /** Sends a callback now, or as soon as a back channel works. Never blocks. */
    public void call(Callback callback) {
        for (BackChannel channel : channels) {
            if (channel.submit(callback)) {
                return;
            }
        }
        synchronized (waiting) {
            waiting.add(callback);
        }
        if (isUp()) {
            resume(); // a back channel has come up in between
        }
    }

    /** As {@link #call}, of several callbacks. One that cannot be dealt with fails, and keeps no other one back. */
    void callAll(List<Callback> callbacks) {
        for (Callback callback : callbacks) {
            try {
                if (callback.isWanted()) {
                    call(callback);
                } else {
                    callback.failed();
                }
            } catch (Throwable e) {
                callback.failed();
                FailureLog.error(LOG, "A callback cannot be sent", e);
            }
        }
    }

    /** Ends all callbacks: the client is gone. */
    public void close() {
        channels.forEach(BackChannel::close);
        synchronized (waiting) {
            waiting.clear();
        }
    }

    /** A back channel has come up. */
    void resume() {
        List<Callback> released;
        synchronized (waiting) {
            released = new ArrayList<>(waiting);
            waiting.clear();
        }
        callAll(released);
    }
}
