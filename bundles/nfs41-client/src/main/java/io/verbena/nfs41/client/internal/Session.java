package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.CreateSession;
import io.verbena.nfs41.SessionId;
import java.time.Instant;

/** A session that the server has made (RFC 8881 section 2.10), and what was agreed on. */
final class Session {
    private final SessionId id;
    private final ChannelAttributes limits;
    private final SlotTable slots;
    private final CallbackSlots callbacks;
    private final boolean backChannel;
    private final Instant since = Instant.now();
    private volatile boolean dead;

    Session(CreateSession.Result made, int maxSlots) {
        id = made.sessionId();
        limits = made.foreChannel();
        slots = new SlotTable(Math.max(1, Math.min(maxSlots, limits.maxRequests())));
        callbacks = new CallbackSlots(CallbackLimits.of(made.backChannel()));
        backChannel = (made.flags() & CreateSession.CONN_BACK_CHAN) != 0;
    }

    SessionId id() {
        return id;
    }

    /** Its id, in hexadecimal. */
    String name() {
        return String.format("%016x%016x", id.high(), id.low());
    }

    /** When it was made. */
    Instant since() {
        return since;
    }

    ChannelAttributes limits() {
        return limits;
    }

    SlotTable slots() {
        return slots;
    }

    /** Those of its back channel. */
    CallbackSlots callbacks() {
        return callbacks;
    }

    /** Whether the server took the connection that the session was made by for its back channel, too. */
    boolean hasBackChannel() {
        return backChannel;
    }

    boolean isDead() {
        return dead;
    }

    /** The server does not know it any more. */
    void kill() {
        dead = true;
        slots.close();
    }
}
