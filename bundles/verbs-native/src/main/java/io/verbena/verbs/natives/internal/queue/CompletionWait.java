package io.verbena.verbs.natives.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.struct.PollSet;

/** The receive thread's wait: for an event of the completion channel, or for a wake-up by another thread. */
public final class CompletionWait {
    private final NativeLibraries libraries;
    private final long cq;
    private final CqEvents events;
    private final PollSet set = new PollSet(2);
    private final int wakeFd;

    @GuardedBy("set")
    private boolean closed;

    public CompletionWait(NativeLibraries libraries, long channel, long cq) throws NativeException {
        this.libraries = libraries;
        this.cq = cq;
        events = new CqEvents(libraries.verbs(), channel, cq);
        int channelFd = libraries.verbs().compChannelFd(channel);
        wakeFd = libraries.posix().createEventFd();
        set.add(wakeFd);
        set.add(channelFd);
    }

    /** Ends the current wait, or else the next one. Any thread. */
    public void wake() {
        synchronized (set) {
            if (closed) {
                return; // the descriptor may be another file's already
            }
            try {
                libraries.posix().signal(wakeFd);
            } catch (NativeException e) {
                Log.LOGGER.warn("waking a connection's thread failed", e);
            }
        }
    }

    /** Asks for an event at the next completion. Completions before this call cause no event. */
    public void arm() throws NativeException {
        int error = libraries.verbs().reqNotifyCq(cq);
        if (error != 0) {
            throw new NativeException(
                    "ibv_req_notify_cq", error, libraries.posix().errorText(error));
        }
    }

    /** Waits for an event of the completion channel or a wake-up, and consumes it. */
    public void await(int millis) throws NativeException {
        libraries.posix().poll(set, millis);
        if (set.ready(0)) {
            libraries.posix().clear(wakeFd);
        }
        if (set.ready(1)) {
            events.take();
        }
    }

    /** Acknowledges the events; called before the completion queue is destroyed. */
    public void acknowledge() {
        events.acknowledge();
    }

    /** Closes the wait; called last. Other threads may still call {@link #wake}. */
    public void close() {
        synchronized (set) {
            closed = true;
            try {
                libraries.posix().close(wakeFd);
            } catch (NativeException e) {
                Log.LOGGER.debug("closing a connection's eventfd failed", e);
            }
        }
    }
}
