package io.verbena.verbs.natives.internal;

/** What the thread of a connection waits with: for an event of the completion channel, or to be woken. */
final class CompletionWait {
    private final Natives natives;
    private final long cq;
    private final CqEvents events;
    private final PollSet set = new PollSet(2);
    private final int wakeFd;

    /** Guarded by the set. */
    private boolean closed;

    CompletionWait(Natives natives, long channel, long cq) throws NativeException {
        this.natives = natives;
        this.cq = cq;
        events = new CqEvents(natives.verbs(), channel, cq);
        int channelFd = natives.verbs().compChannelFd(channel);
        wakeFd = natives.posix().createEventFd();
        set.add(wakeFd);
        set.add(channelFd);
    }

    /** Ends the wait that is under way, or else the next; any thread. */
    void wake() {
        synchronized (set) {
            if (closed) {
                return; // the number may be another file's already
            }
            try {
                natives.posix().signal(wakeFd);
            } catch (NativeException e) {
                Log.LOGGER.warn("waking a connection's thread failed", e);
            }
        }
    }

    /** Asks for an event at the next completion: what was completed before that brings none. */
    void arm() throws NativeException {
        int error = natives.verbs().reqNotifyCq(cq);
        if (error != 0) {
            throw new NativeException(
                    "ibv_req_notify_cq", error, natives.posix().errorText(error));
        }
    }

    /** Waits for an event of the completion channel or a wake-up, and takes it. */
    void await(int millis) throws NativeException {
        natives.posix().poll(set, millis);
        if (set.ready(0)) {
            natives.posix().clear(wakeFd);
        }
        if (set.ready(1)) {
            events.take();
        }
    }

    /** Has to come before the completion queue is destroyed. */
    void acknowledge() {
        events.acknowledge();
    }

    /** The last thing; wake-ups may come all the same. */
    void close() {
        synchronized (set) {
            closed = true;
            try {
                natives.posix().close(wakeFd);
            } catch (NativeException e) {
                Log.LOGGER.debug("closing a connection's eventfd failed", e);
            }
        }
    }
}
