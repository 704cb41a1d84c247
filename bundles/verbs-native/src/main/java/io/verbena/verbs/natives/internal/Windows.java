package io.verbena.verbs.natives.internal;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A connection's memory windows. One that the peer has invalidated is free for another bind. One that is taken back by
 * ourselves is deallocated rather than invalidated through the send queue: that is over when the call returns, from
 * whatever thread, and does not depend on the peer; and a peer that invalidates the same window at that moment does
 * not make an error of ours out of it.
 */
final class Windows {
    /** A window; its key changes with every bind. */
    static final class Window {
        private final long handle;
        private int rkey;
        private volatile long lastBind;

        Window(long handle, int rkey) {
            this.handle = handle;
            this.rkey = rkey;
        }

        long handle() {
            return handle;
        }

        /** It is to be bound by the bind of that number. */
        void bind(long number) {
            lastBind = number;
        }

        /** The number of its last bind; 0 without any. */
        long lastBind() {
            return lastBind;
        }
    }

    private static final int KEY_MASK = 0xff;

    private final Ibverbs verbs;
    private final long pd;
    private final RandomNumbers random;
    private final Deque<Window> free = new ArrayDeque<>();

    Windows(Ibverbs verbs, long pd, RandomNumbers random) {
        this.verbs = verbs;
        this.pd = pd;
        this.random = random;
    }

    synchronized Window take() throws NativeException {
        Window window = free.poll();
        if (window == null) {
            long handle = verbs.allocMw(pd);
            window = new Window(handle, verbs.mwRkey(handle));
        }
        return window;
    }

    /** The key of the next bind: the window's with another, random last octet. */
    int nextKey(Window window) {
        int change;
        do {
            change = random.nextInt() & KEY_MASK;
        } while (change == 0);
        return window.rkey ^ change;
    }

    /** The window has been bound with that key. */
    void bound(Window window, int rkey) {
        window.rkey = rkey;
        verbs.setMwRkey(window.handle, rkey);
    }

    /** The peer has invalidated it. */
    synchronized void give(Window window) {
        free.push(window);
    }

    /** When it returns no peer reaches anything through the window. */
    void destroy(Window window) throws NativeException {
        verbs.deallocMw(window.handle);
    }

    synchronized void close() {
        for (Window window : free) {
            try {
                verbs.deallocMw(window.handle);
            } catch (NativeException e) {
                Log.LOGGER.warn("deallocating a window failed", e);
            }
        }
        free.clear();
    }
}
