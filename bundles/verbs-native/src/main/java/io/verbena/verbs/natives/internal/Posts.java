package io.verbena.verbs.natives.internal;

import io.verbena.verbs.Completion.Operation;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.WireMessage;
import java.nio.ByteBuffer;

/** What a connection's users post: checked here, and handed to its queues with the addresses that a device knows. */
final class Posts {
    private final boolean iwarp;
    private final ConnectionSteps steps;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Regions regions;
    private final Traffic traffic;

    Posts(
            boolean iwarp,
            ConnectionSteps steps,
            SendQueue sends,
            ReceiveQueue receives,
            Regions regions,
            Traffic traffic) {
        this.iwarp = iwarp;
        this.steps = steps;
        this.sends = sends;
        this.receives = receives;
        this.regions = regions;
        this.traffic = traffic;
    }

    void receive(long id, MemoryRegion region, long offset, int length) throws RdmaException {
        NativeRegion memory = check(region, offset, length, true);
        receives.post(id, memory.base() + offset, length, memory.lkey(), memory, offset);
    }

    void send(long id, MemoryRegion region, long offset, int length, int flags) throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, false);
        boolean held = tell(Operation.SEND, WireMessage.Kind.SEND, 0, 0, memory, offset, length);
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
                tell(Operation.SEND, WireMessage.Kind.SEND_WITH_INVALIDATE, remoteTag, 0, memory, offset, length);
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
                tell(Operation.RDMA_WRITE, WireMessage.Kind.WRITE, remoteTag, remoteOffset, memory, offset, length);
        try {
            sends.write(id, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags);
        } finally {
            release(held);
        }
    }

    void read(long id, MemoryRegion region, long offset, int length, int remoteTag, long remoteOffset, int flags)
            throws RdmaException {
        NativeRegion memory = checkSent(region, offset, length, true);
        ByteBuffer data = traffic.isObserved() ? memory.view(offset, length) : null;
        if (iwarp && length > 0) {
            regions.read(id, memory, offset, length, remoteTag, remoteOffset, flags, data);
        } else {
            sends.read(id, memory.base() + offset, length, memory.lkey(), remoteTag, remoteOffset, flags, 0, data);
        }
    }

    /**
     * Tells those who observe, if any, of what is posted next. Where it returns true the queue is held, so that it is
     * the next post of any thread, until {@link #release}.
     */
    private boolean tell(
            Operation operation,
            WireMessage.Kind kind,
            int tag,
            long remoteOffset,
            NativeRegion memory,
            long offset,
            int length)
            throws RdmaException {
        if (!traffic.isObserved()) {
            return false;
        }
        sends.hold(operation);
        boolean told = false;
        try {
            traffic.posted(kind, tag, remoteOffset, memory.view(offset, length));
            told = true;
            return true;
        } finally {
            release(!told);
        }
    }

    private void release(boolean held) {
        if (held) {
            sends.release();
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
