package io.verbena.verbs.iwarp.internal.connection;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.stream.ReceiveRing;
import io.verbena.verbs.iwarp.internal.stream.Transmitter;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;

/** Checks the requests that users post, and gives them to the receive queue or the send side. Any thread. */
final class RequestPoster {
    private final RegionTable regions;
    private final ReceiveRing receives;
    private volatile Transmitter transmitter;

    RequestPoster(RegionTable regions, ReceiveRing receives) {
        this.regions = regions;
        this.receives = receives;
    }

    /** Sets the send side when the connection is established; null where it was not established after all. */
    void use(Transmitter newTransmitter) {
        transmitter = newTransmitter;
    }

    void receive(long id, MemoryRegion region, long offset, int length) throws RdmaException {
        Region memory = check(region, offset, length, true);
        switch (receives.post(id, memory, offset, length)) {
            case FULL -> throw new RdmaException(Kind.QUEUE_FULL, "the receive queue is full");
            case CLOSED -> throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
            default -> {
                return;
            }
        }
    }

    /** Posts a message of that RDMAP opcode. */
    void send(
            long id,
            int opcode,
            MemoryRegion region,
            long offset,
            int length,
            int remoteTag,
            long remoteOffset,
            int flags)
            throws RdmaException {
        Transmitter t = transmitter;
        boolean posted = false;
        try {
            Region memory = check(region, offset, length, opcode == Iwarp.READ_REQUEST);
            if (t == null) {
                throw new RdmaException(Kind.DISCONNECTED, "the connection is not connected");
            }
            t.post(id, opcode, memory, offset, length, remoteTag, remoteOffset, flags);
            posted = true;
        } finally {
            if (!posted && t != null) {
                t.handOver(); // posts with the flag MORE no longer wait for a next post
            }
        }
    }

    private Region check(MemoryRegion memory, long offset, int length, boolean written) throws RdmaException {
        if (!(memory instanceof Region region) || !region.isOf(regions) || !region.isValid()) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "the memory is not registered with this connection");
        }
        if (!region.contains(offset, length)) {
            throw new RdmaException(
                    Kind.LOCAL_PROTECTION,
                    length + " octets at " + offset + " are not in memory of " + region.length() + " octets");
        }
        if (written && !region.isWritable()) {
            throw new RdmaException(Kind.LOCAL_PROTECTION, "the memory is read-only");
        }
        return region;
    }
}
