package io.verbena.nfs41.server.internal.state;

import static io.verbena.nfs41.Status.NFS4ERR_BADSLOT;
import static io.verbena.nfs41.Status.NFS4ERR_BAD_HIGH_SLOT;

import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.server.internal.vfs.NfsError;

/** A session: its client, its limits and its slots (RFC 8881 section 2.10). */
public final class Session {
    private final SessionId id;
    private final Client client;
    private final ChannelAttributes fore;
    private final Slot[] slots;

    Session(SessionId id, Client client, ChannelAttributes fore) {
        this.id = id;
        this.client = client;
        this.fore = fore;
        this.slots = new Slot[fore.maxRequests()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot();
        }
    }

    public SessionId id() {
        return id;
    }

    public Client client() {
        return client;
    }

    /** The limits of requests of the client. */
    public ChannelAttributes fore() {
        return fore;
    }

    public int highestSlot() {
        return slots.length - 1;
    }

    /** The slot of a SEQUENCE. */
    public Slot slot(int slotId, int highestSlotId) throws NfsError {
        if (slotId < 0 || slotId >= slots.length) {
            throw new NfsError(NFS4ERR_BADSLOT);
        }
        if (highestSlotId < 0 || highestSlotId >= slots.length) {
            throw new NfsError(NFS4ERR_BAD_HIGH_SLOT);
        }
        return slots[slotId];
    }
}
