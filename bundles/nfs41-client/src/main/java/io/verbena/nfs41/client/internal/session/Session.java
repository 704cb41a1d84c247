package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.client.internal.callback.CallbackLimits;
import io.verbena.nfs41.client.internal.callback.CallbackSession;
import io.verbena.nfs41.client.internal.callback.CallbackSlots;
import io.verbena.nfs41.client.internal.figures.RequestTimeline;
import io.verbena.runtime.Runtime;
import java.time.Instant;

/** A session of this client (RFC 8881 section 2.10), with its slots and the limits agreed on. Thread safe. */
public final class Session implements CallbackSession {
    private final SessionId id;
    private final ChannelAttributes limits;
    private final SlotTable slots;
    private final CallbackSlots callbacks;
    private final boolean backChannel;
    private final Runtime runtime;
    private final Instant since;
    private final long madeNanos;
    private volatile boolean used;
    private volatile boolean dead;

    public Session(CreateSession.Result made, int maxSlots, Runtime runtime) {
        id = made.sessionId();
        limits = made.foreChannel();
        slots = new SlotTable(Math.max(1, Math.min(maxSlots, limits.maxRequests())));
        callbacks = new CallbackSlots(CallbackLimits.of(made.backChannel()));
        backChannel = (made.flags() & CreateSession.CONN_BACK_CHAN) != 0;
        this.runtime = runtime;
        since = runtime.now();
        madeNanos = runtime.nanoTime();
    }

    @Override
    public SessionId id() {
        return id;
    }

    /** The session id in hexadecimal. */
    public String name() {
        return RequestTimeline.name(id);
    }

    /** When the session was made. */
    public Instant since() {
        return since;
    }

    public ChannelAttributes limits() {
        return limits;
    }

    public SlotTable slots() {
        return slots;
    }

    @Override
    public CallbackSlots callbacks() {
        return callbacks;
    }

    @Override
    public boolean isOutstanding(int slotId, int sequenceId) {
        return slots.isOutstanding(slotId, sequenceId);
    }

    @Override
    public void targetHighestSlot(int slotId) {
        slots.target(slotId);
    }

    /** Whether the server took the connection of CREATE_SESSION for the back channel too. */
    boolean hasBackChannel() {
        return backChannel;
    }

    /** A request was executed in the session, other than those that belong to its recovery. */
    void used() {
        if (!used) {
            used = true;
        }
    }

    /** The age of the session in nanoseconds if a request was executed in it, else 0. */
    long usefulNanos() {
        return used ? runtime.nanoTime() - madeNanos : 0;
    }

    boolean isDead() {
        return dead;
    }

    /** Ends the session on this side: the server does not know it any more. */
    void kill() {
        dead = true;
        slots.close();
    }
}
