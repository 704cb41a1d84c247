package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.SessionId;

/** A session that the server has made (RFC 8881 section 2.10), and what was agreed on. */
final class Session {
    private final SessionId id;
    private final ChannelAttributes limits;
    private final SlotTable slots;
    private volatile boolean dead;

    Session(SessionId id, ChannelAttributes limits, int maxSlots) {
        this.id = id;
        this.limits = limits;
        this.slots = new SlotTable(Math.max(1, Math.min(maxSlots, limits.maxRequests())));
    }

    SessionId id() {
        return id;
    }

    ChannelAttributes limits() {
        return limits;
    }

    SlotTable slots() {
        return slots;
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
