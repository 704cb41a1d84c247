package io.verbena.verbs.natives.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.struct.PollSet;

/**
 * The receive thread's wait: for an event of the completion channel, or for a wake-up by another thread. A receive
 * always causes an event where the thread has asked for one; the {@link SendQueue} asks for events of its own.
 */
public final class CompletionWait {
    private final NativeLibraries libraries;
    private final long receiveCq;
    private final long sendCq;
    private final SendQueue sends;
    private final CqEvents events;
    private final PollSet set = new PollSet(2);
    private final int wakeFd;

    @GuardedBy("set")
    private boolean closed;

    public CompletionWait(NativeLibraries libraries, QueuePair queues, SendQueue sends) throws NativeException {
        this.libraries = libraries;
        this.sends = sends;
        receiveCq = queues.receiveCq();
        sendCq = queues.sendCq();
        events = new CqEvents(libraries.verbs(), queues.channel(), receiveCq, sendCq);
        int channelFd = libraries.verbs().compChannelFd(queues.channel());
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

    /**
     * Asks for an event at the next completion of a receive, and of a send where someone awaits it. Completions before
     * this call cause no event.
     *
     * @param all whether any completion of a send is awaited
     */
    public void arm(boolean all) throws NativeException {
        int error = libraries.verbs().reqNotifyCq(receiveCq);
        if (error == 0) {
            error = sends.arm(all);
        }
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
            if (events.take() == sendCq) {
                sends.eventTaken();
            }
        }
    }

    /** Acknowledges the events; called before the completion queues are destroyed. */
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
