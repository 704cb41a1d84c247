package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionTable;
import io.verbena.verbs.iwarp.internal.wire.DdpHeader;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.Iwarp.Fault;
import io.verbena.verbs.iwarp.internal.wire.ReadRequestHeader;
import io.verbena.verbs.iwarp.internal.wire.StreamFault;
import io.verbena.verbs.iwarp.internal.wire.TerminateHeader;
import java.nio.ByteBuffer;

/**
 * Checks DDP segments and carries them out (RFC 5040 section 5, RFC 5041 section 5). A segment is first resolved, which
 * changes no state; then its payload is placed; then it is finished. Only the receive thread calls this.
 */
public final class DdpSegmentReceiver {
    /** Takes completions of received messages, and learns that the peer is ready. */
    public interface Events {
        /** The next completion, for the caller to fill. Delivers earlier ones first where there is no room. */
        Completion nextCompletion();

        /** The peer's first FPDU has arrived. */
        void onFirstFpdu();

        /** The response has arrived to the read by which this end showed that it is ready to receive. */
        void onReadyResponse();
    }

    private final RegionTable regions;
    private final ReceiveRing receives;
    private final Transmitter transmitter;
    private final Events events;

    private int sendMsn = 1;
    private int readMsn = 1;
    /** The octets of the current Send message that have arrived. */
    private int received;

    private boolean first = true;
    private boolean sendIsReady;
    private boolean readyResponseDue;
    private boolean lengthError;
    private WorkRequest refusedRead;

    // the current segment
    private int opcode;
    private boolean last;
    private Region region;
    private long regionOffset;
    private int payload;
    private int payloadAt;
    private boolean isReady;
    private ReceiveRing.Entry receive;
    private WorkRequest read;

    public DdpSegmentReceiver(RegionTable regions, ReceiveRing receives, Transmitter transmitter, Events events) {
        this.regions = regions;
        this.receives = receives;
        this.transmitter = transmitter;
        this.events = events;
    }

    /**
     * The peer's first FPDU may be an empty Send, which only shows that the peer is ready to receive (RFC 6581 section
     * 9).
     */
    public void expectReadySend() {
        sendIsReady = true;
    }

    /** The first Read Response will be the one that shows that the peer is ready. */
    public void expectReadyResponse() {
        readyResponseDue = true;
    }

    /** The status with which the receive at the head of the queue is flushed. */
    public Completion.Status headReceiveStatus() {
        return lengthError ? Completion.Status.LENGTH_ERROR : Completion.Status.FLUSHED;
    }

    /** The read that the peer's Terminate refused, or null. */
    public WorkRequest refusedRead() {
        return refusedRead;
    }

    /** Whether the resolved segment has a payload to place. */
    boolean hasTarget() {
        return region != null && payload > 0;
    }

    Region target() {
        return region;
    }

    long targetOffset() {
        return regionOffset;
    }

    int payload() {
        return payload;
    }

    /** Handles a segment that has arrived whole and whose CRC is correct. */
    void onSegment(ByteBuffer b, int at, int length) throws StreamFault, RdmaException {
        resolve(b, at, length);
        if (hasTarget()) {
            enterTarget();
            try {
                region.copyIn(regionOffset, b, payloadAt, payload);
            } finally {
                region.leave(); // else a thread that invalidates the region would wait forever
            }
        }
        finish(b);
    }

    /** Enters the target region to place a piece of the payload. */
    void enterTarget() throws StreamFault {
        if (!region.enter()) {
            throw new StreamFault(Fault.DDP_INVALID_STAG, "the memory was invalidated");
        }
    }

    /** Checks a segment of which at least the header has arrived. */
    void resolve(ByteBuffer b, int at, int length) throws StreamFault {
        region = null;
        isReady = false;
        if (length < 2 || length < DdpHeader.length(b, at)) {
            if (length == 0 && first && sendIsReady) {
                isReady = true;
                return;
            }
            throw new StreamFault(Fault.MPA_FRAME, "a ULPDU of " + length + " octets");
        }
        boolean tagged = DdpHeader.isTagged(b, at);
        if (DdpHeader.ddpVersion(b, at) != Iwarp.DDP_VERSION) {
            throw new StreamFault(
                    tagged ? Fault.DDP_TAGGED_VERSION : Fault.DDP_UNTAGGED_VERSION,
                    "version " + DdpHeader.ddpVersion(b, at));
        }
        if (DdpHeader.rdmapVersion(b, at) != Iwarp.RDMAP_VERSION) {
            throw new StreamFault(Fault.RDMAP_VERSION, "version " + (DdpHeader.rdmapVersion(b, at) >> 6));
        }
        opcode = DdpHeader.opcode(b, at);
        last = DdpHeader.isLast(b, at);
        payloadAt = at + DdpHeader.length(b, at);
        payload = length - DdpHeader.length(b, at);
        if (tagged) {
            resolveTagged(b, at);
        } else {
            resolveUntagged(b, at);
        }
    }

    private void resolveTagged(ByteBuffer b, int at) throws StreamFault {
        int stag = DdpHeader.stag(b, at);
        long offset = DdpHeader.taggedOffset(b, at);
        if (opcode == Iwarp.READ_RESPONSE) {
            resolveReadResponse(stag, offset);
        } else if (opcode != Iwarp.WRITE) {
            throw new StreamFault(Fault.RDMAP_OPCODE, "opcode " + opcode + " in a tagged segment");
        } else if (payload > 0) {
            Region found = regions.find(stag);
            if (found == null) {
                throw new StreamFault(Fault.DDP_INVALID_STAG, "RDMA Write to tag " + hex(stag));
            }
            regionOffset =
                    checkRange(found, offset, payload, Fault.DDP_BOUNDS, Fault.DDP_TO_WRAP, "RDMA Write of " + payload);
            if (found.access() != Access.REMOTE_WRITE) {
                throw new StreamFault(Fault.RDMAP_ACCESS, "RDMA Write to tag " + hex(stag));
            }
            region = found;
        }
    }

    /** Checks a range that the peer names by a tagged offset; returns the range's offset in the region. */
    private static long checkRange(Region region, long taggedOffset, long length, Fault bounds, Fault wrap, String what)
            throws StreamFault {
        if (Long.compareUnsigned(taggedOffset + length, taggedOffset) < 0) {
            throw new StreamFault(wrap, what + " octets at offset " + Long.toHexString(taggedOffset));
        }
        // the subtraction cannot overflow: the base is positive, and so is any offset that is not below the base
        long offset = taggedOffset - region.remoteOffset();
        if (taggedOffset < region.remoteOffset() || !region.contains(offset, length)) {
            throw new StreamFault(
                    bounds,
                    what + " octets at offset " + Long.toHexString(taggedOffset) + " in memory of " + region.length()
                            + " octets at " + Long.toHexString(region.remoteOffset()));
        }
        return offset;
    }

    private void resolveReadResponse(int stag, long offset) throws StreamFault {
        if (readyResponseDue) {
            if (payload != 0 || !last) {
                throw new StreamFault(Fault.DDP_BOUNDS, "a Read Response of " + payload + " octets to a read of none");
            }
            return;
        }
        read = transmitter.oldestRead();
        if (read == null) {
            throw new StreamFault(Fault.RDMAP_OPCODE, "a Read Response that answers no read");
        }
        if (stag != read.sinkTag) {
            throw new StreamFault(Fault.DDP_INVALID_STAG, "a Read Response for tag " + hex(stag));
        }
        int missing = read.length - read.received;
        if (offset != read.received || payload > missing || last != (payload == missing)) {
            throw new StreamFault(
                    Fault.DDP_BOUNDS,
                    "a Read Response of " + payload + " octets at " + Long.toHexString(offset) + " where " + missing
                            + " are missing at " + read.received);
        }
        region = read.region;
        regionOffset = read.offset + read.received;
    }

    private void resolveUntagged(ByteBuffer b, int at) throws StreamFault {
        int queue = DdpHeader.queueNumber(b, at);
        int expected = Iwarp.queueOf(opcode);
        if (expected < 0) {
            throw new StreamFault(Fault.RDMAP_OPCODE, "opcode " + opcode + " in an untagged segment");
        }
        if (queue != expected) {
            throw new StreamFault(Fault.DDP_INVALID_QN, "opcode " + opcode + " on queue " + queue);
        }
        switch (queue) {
            case Iwarp.QUEUE_SEND -> resolveSend(b, at);
            case Iwarp.QUEUE_READ_REQUEST -> resolveReadRequest(b, at);
            default -> {
                if (payload < TerminateHeader.CONTROL_LENGTH) {
                    throw new StreamFault(Fault.MPA_FRAME, "a Terminate of " + payload + " octets");
                }
            }
        }
    }

    private void resolveSend(ByteBuffer b, int at) throws StreamFault {
        checkMsn(b, at, sendMsn);
        if (DdpHeader.messageOffset(b, at) != received) {
            throw new StreamFault(
                    Fault.DDP_INVALID_MO,
                    "offset " + Integer.toUnsignedString(DdpHeader.messageOffset(b, at)) + " instead of " + received);
        }
        if (first && sendIsReady && payload == 0 && last) {
            isReady = true;
            return;
        }
        receive = receives.peek();
        if (receive == null) {
            throw new StreamFault(Fault.DDP_NO_BUFFER, "no receive is posted for message " + sendMsn);
        }
        if (payload > receive.length - received) {
            lengthError = true;
            throw new StreamFault(
                    Fault.DDP_TOO_LONG,
                    "message " + sendMsn + " is over the " + receive.length + " octets of its receive");
        }
        if (last && Iwarp.isInvalidating(opcode)) {
            int stag = DdpHeader.invalidateStag(b, at);
            if (regions.find(stag) == null) {
                throw new StreamFault(Fault.RDMAP_CANNOT_INVALIDATE, "tag " + hex(stag) + " by message " + sendMsn);
            }
        }
        region = receive.region;
        regionOffset = receive.offset + received;
    }

    private static void checkMsn(ByteBuffer b, int at, int expected) throws StreamFault {
        if (DdpHeader.msn(b, at) != expected) {
            throw new StreamFault(
                    Fault.DDP_MSN_RANGE,
                    "message " + Integer.toUnsignedString(DdpHeader.msn(b, at)) + " instead of "
                            + Integer.toUnsignedString(expected));
        }
    }

    private void resolveReadRequest(ByteBuffer b, int at) throws StreamFault {
        checkMsn(b, at, readMsn);
        if (DdpHeader.messageOffset(b, at) != 0) {
            throw new StreamFault(Fault.DDP_INVALID_MO, "a Read Request in more than one segment");
        }
        if (payload > ReadRequestHeader.LENGTH) {
            throw new StreamFault(Fault.DDP_TOO_LONG, "a Read Request of " + payload + " octets");
        }
        if (payload < ReadRequestHeader.LENGTH || !last) {
            throw new StreamFault(Fault.MPA_FRAME, "a Read Request of " + payload + " octets");
        }
    }

    /** Carries the segment out after its payload was placed. */
    private void finish(ByteBuffer b) throws StreamFault, RdmaException {
        if (isReady) {
            sendMsn += payload == 0 && last ? 1 : 0;
        } else if (opcode == Iwarp.READ_REQUEST) {
            finishReadRequest(b);
        } else if (opcode == Iwarp.TERMINATE) {
            throw terminated(b);
        } else {
            finishPlaced(b, payloadAt - DdpHeader.UNTAGGED_LENGTH);
        }
        if (first) {
            first = false;
            events.onFirstFpdu();
        }
    }

    /** Carries out a segment whose payload was never in the buffer of {@code header}. */
    void finishPlaced(ByteBuffer header, int at) {
        if (opcode == Iwarp.READ_RESPONSE) {
            finishReadResponse();
        } else if (opcode != Iwarp.WRITE) {
            finishSend(header, at);
        }
        if (first) {
            first = false;
            events.onFirstFpdu();
        }
    }

    private void finishReadResponse() {
        if (readyResponseDue) {
            readyResponseDue = false;
            events.onReadyResponse();
            return;
        }
        read.received += payload;
        if (last) {
            transmitter.readResponded();
        }
    }

    private void finishSend(ByteBuffer header, int at) {
        received += payload;
        if (!last) {
            return;
        }
        Completion completion = events.nextCompletion()
                .set(receive.id, Completion.Operation.RECEIVE, Completion.Status.SUCCESS, received);
        if (Iwarp.isInvalidating(opcode)) {
            int stag = DdpHeader.invalidateStag(header, at);
            Region invalidated = regions.find(stag);
            if (invalidated != null) {
                invalidated.invalidate();
            }
            completion.setInvalidated(stag);
        }
        receives.remove();
        received = 0;
        sendMsn++;
    }

    private void finishReadRequest(ByteBuffer b) throws StreamFault {
        long size = ReadRequestHeader.size(b, payloadAt);
        Region source = null;
        long sourceOffset = 0;
        if (size > 0) {
            int stag = ReadRequestHeader.sourceStag(b, payloadAt);
            source = regions.find(stag);
            if (source == null) {
                throw new StreamFault(Fault.RDMAP_INVALID_STAG, "RDMA Read of tag " + hex(stag));
            }
            sourceOffset = checkRange(
                    source,
                    ReadRequestHeader.sourceOffset(b, payloadAt),
                    size,
                    Fault.RDMAP_BOUNDS,
                    Fault.RDMAP_TO_WRAP,
                    "RDMA Read of " + size);
            if (source.access() != Access.REMOTE_READ) {
                throw new StreamFault(Fault.RDMAP_ACCESS, "RDMA Read of tag " + hex(stag));
            }
        }
        int sinkStag = ReadRequestHeader.sinkStag(b, payloadAt);
        long sinkOffset = ReadRequestHeader.sinkOffset(b, payloadAt);
        if (!transmitter.answer(sinkStag, sinkOffset, source, sourceOffset, size)) {
            throw new StreamFault(Fault.DDP_NO_BUFFER, "more reads at once than were offered");
        }
        readMsn++;
    }

    private RdmaException terminated(ByteBuffer b) {
        boolean protection = TerminateHeader.isProtection(b, payloadAt);
        if (protection) {
            refusedRead = transmitter.oldestRead();
        }
        return new RdmaException(
                protection ? RdmaException.Kind.ACCESS : RdmaException.Kind.PROTOCOL,
                "the peer ended the connection by a Terminate: " + TerminateHeader.describe(b, payloadAt));
    }

    private static String hex(int tag) {
        return String.format("0x%08x", tag);
    }
}
