package io.verbena.verbs.natives.internal;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;

/** What a connection's users post: checked here, and handed to its queues with the addresses that a device knows. */
final class Posts {
    private final boolean iwarp;
    private final ConnectionSteps steps;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Regions regions;

    Posts(boolean iwarp, ConnectionSteps steps, SendQueue sends, ReceiveQueue receives, Regions regions) {
        this.iwarp = iwarp;
        this.steps = steps;
        this.sends = sends;
        this.receives = receives;
        this.regions = regions;
    }

    void receive(long id, MemoryRegion region, long offset, int length) throws RdmaException {
        NativeRegion memory = check(region, offset, length, true);
        receives.post(id, memory.base() + offset, length, memory.lkey());
    }

    void send(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, false);
        sends.send(id, memory.base() + offset, memory.address() + offset, length, memory.lkey(), flags);
    }

    void sendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, false);
        sends.sendWithInvalidate(id, memory.base() + offset, length, memory.lkey(), remoteTag, flags);
    }

    void write(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, false);
        sends.write(id, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags);
    }

    void read(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, true);
        if (iwarp && length > 0) {
            regions.read(id, memory, offset, length, remoteTag, remoteOffset, flags);
        } else {
            sends.read(id, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags, 0);
        }
    }

    /** A post that is refused is none that those collected could wait for. */
    private NativeRegion checkSent(MemoryRegion memory, long offset, int length, boolean written) throws RdmaException {
        boolean refused = true;
        try {
            NativeRegion region = check(memory, offset, length, written);
            refused = false;
            return region;
        } finally {
            if (refused) {
                sends.handOver();
            }
        }
    }

    private NativeRegion check(MemoryRegion memory, long offset, int length, boolean written) throws RdmaException {
        if (steps.isEnded()) {
            throw new RdmaException(Kind.DISCONNECTED, "the connection has ended");
        }
        if (!(memory instanceof NativeRegion region) || !region.isOf(regions) || !region.isValid()) {
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
