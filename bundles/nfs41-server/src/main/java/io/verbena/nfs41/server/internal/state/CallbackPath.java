package io.verbena.nfs41.server.internal.state;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The way to one client: the back channels of its sessions (RFC 8881 section 2.10.3.1). What finds none that works waits
 * until the client has made one. Thread safe; calls nobody with its lock held.
 */
final class CallbackPath {
    private final List<BackChannel> channels = new CopyOnWriteArrayList<>();
    private final Deque<Callback> waiting = new ArrayDeque<>();

    void add(BackChannel channel) {
        channels.add(channel);
    }

    /** A session has ended; what its back channel had to do is left to the others. */
    void remove(BackChannel channel) {
        channels.remove(channel);
        channel.close().forEach(this::call);
    }

    /** Whether the client can be called now. */
    boolean isUp() {
        return channels.stream().anyMatch(BackChannel::isUp);
    }

    /** Whether the client could be called once and cannot now. */
    boolean isDown() {
        return !isUp() && channels.stream().anyMatch(BackChannel::wasUp);
    }

    /** Calls the client, now or as soon as it can be called. Never blocks. */
    void call(Callback callback) {
        for (BackChannel channel : channels) {
            if (channel.submit(callback)) {
                return;
            }
        }
        synchronized (waiting) {
            waiting.add(callback);
        }
        if (isUp()) {
            resume(); // it has come up in between
        }
    }

    /** The client is no more. */
    void close() {
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
        for (Callback callback : released) {
            if (callback.isWanted()) {
                call(callback);
            } else {
                callback.failed();
            }
        }
    }
}
