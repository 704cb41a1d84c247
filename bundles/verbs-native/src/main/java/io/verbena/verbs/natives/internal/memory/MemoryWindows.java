package io.verbena.verbs.natives.internal.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.NativeException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The memory windows of a connection. A window that the peer has invalidated is free for another bind. A window that
 * this end invalidates is deallocated, not invalidated through the send queue: deallocation is complete when the call
 * returns, on any thread, and does not depend on the peer. A peer that invalidates the same window at that moment
 * causes no error at this end.
 */
public final class MemoryWindows {
    /** A window; its key changes with every bind. */
    public static final class Window {
        private final long handle;
        private volatile int rkey;
        private volatile long lastBind;

        public Window(long handle, int rkey) {
            this.handle = handle;
            this.rkey = rkey;
        }

        public long handle() {
            return handle;
        }

        /**
         * Notes the number and the key of the bind that is posted next for the window. The library is told the key when
         * the bind is posted: until then it needs the one before.
         */
        public void bind(long number, int newKey) {
            lastBind = number;
            rkey = newKey;
        }

        /** The key of the last bind; that of the window where there was none. */
        public int rkey() {
            return rkey;
        }

        /** The number of the last bind; 0 where there was none. */
        public long lastBind() {
            return lastBind;
        }
    }

    private static final int KEY_MASK = 0xff;

    private final Ibverbs verbs;
    private final long pd;
    private final RandomNumbers random;

    @GuardedBy("this")
    private final Deque<Window> free = new ArrayDeque<>();

    MemoryWindows(Ibverbs verbs, long pd, RandomNumbers random) {
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

    /** The key for the next bind: the key of the window with another, random last octet. */
    int nextKey(Window window) {
        int change;
        do {
            change = random.nextInt() & KEY_MASK;
        } while (change == 0);
        return window.rkey ^ change;
    }

    /** Frees a window that the peer has invalidated for another bind. */
    synchronized void give(Window window) {
        free.push(window);
    }

    /** Deallocates a window. When this returns the peer cannot reach memory through it. */
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
