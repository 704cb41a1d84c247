package io.verbena.verbs.natives.internal.connection;

import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.WireMessage;
import io.verbena.verbs.natives.internal.memory.NativeRegion;
import io.verbena.verbs.natives.internal.memory.RegionTable;
import io.verbena.verbs.natives.internal.queue.ConnectionTap;
import io.verbena.verbs.natives.internal.queue.ReceiveQueue;
import io.verbena.verbs.natives.internal.queue.SendQueue;
import java.nio.ByteBuffer;

/**
 * Checks the requests that users post, and gives them to the queues with the addresses that the device knows. Any
 * thread.
 */
public final class RequestPoster {
    private final boolean iwarp;
    private final ConnectionState state;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RegionTable regions;
    private final ConnectionTap tap;

    public RequestPoster(
            boolean iwarp,
            ConnectionState state,
            SendQueue sends,
            ReceiveQueue receives,
            RegionTable regions,
            ConnectionTap tap) {
        this.iwarp = iwarp;
        this.state = state;
        this.sends = sends;
        this.receives = receives;
        this.regions = regions;
        this.tap = tap;
    }

    void receive(long id, MemoryRegion region, long offset, int length) throws RdmaException {
        NativeRegion memory = check(region, offset, length, true);
        receives.post(id, memory.base() + offset, length, memory.lkey(), memory, offset);
    }

    public void send(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, false);
        boolean held = observe(Operation.SEND, WireMessage.Kind.SEND, 0, 0, memory, offset, length);
        try {
            sends.send(id, memory.base() + offset, memory.address() + offset, length, memory.lkey(), flags);
        } finally {
            release(held);
        }
    }

    void sendWithInvalidate(long id, MemoryRegion region, long offset, int length, int remoteTag, int flags)
            throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, false);
        boolean held =
                observe(Operation.SEND, WireMessage.Kind.SEND_WITH_INVALIDATE, remoteTag, 0, memory, offset, length);
        try {
            sends.sendWithInvalidate(id, memory.base() + offset, length, memory.lkey(), remoteTag, flags);
        } finally {
            release(held);
        }
    }

    void write(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, false);
        boolean held =
                observe(Operation.RDMA_WRITE, WireMessage.Kind.WRITE, remoteTag, remoteOffset, memory, offset, length);
        try {
            sends.write(id, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags);
        } finally {
            release(held);
        }
    }

    void read(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, true);
        ByteBuffer data = tap.isObserved() ? memory.view(offset, length) : null;
        if (iwarp && length > 0) {
            regions.read(id, memory, offset, length, remoteTag, remoteOffset, flags, data);
        } else {
            sends.read(id, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags, 0, data);
        }
    }

    /**
     * Reports the next post to observers, if any. Where this returns true the queue is held until {@link #release}, so
     * that no other thread posts before.
     */
    private boolean observe(
            Operation operation,
            WireMessage.Kind kind,
            int tag,
            long remoteOffset,
            NativeRegion memory,
            long offset,
            int length)
            throws RdmaException {
        if (!tap.isObserved()) {
            return false;
        }
        sends.hold(operation);
        boolean observed = false;
        try {
            tap.posted(kind, tag, remoteOffset, memory.view(offset, length));
            observed = true;
            return true;
        } finally {
            release(!observed);
        }
    }

    private void release(boolean held) {
        if (held) {
            sends.release();
        }
    }

    /**
     * Checks memory to be sent. Where the post is refused, earlier posts with the flag MORE are handed over: they no
     * longer wait for a next post.
     */
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
        if (state.isEnded()) {
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
