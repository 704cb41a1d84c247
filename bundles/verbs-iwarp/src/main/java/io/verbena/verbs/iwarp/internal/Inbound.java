package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Access;
import io.verbena.verbs.Completion;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.iwarp.internal.Iwarp.Fault;
import java.nio.ByteBuffer;

/**
 * Judges DDP segments and does what they ask for (RFC 5040 section 5, RFC 5041 section 5). A segment is first resolved,
 * which changes nothing, then its payload is placed, then it is finished. The receive thread's own.
 */
final class Inbound {
    /** Where completions of received messages go, and who is told that the peer has spoken. */
    interface Events {
        /** The next completion, to be filled; delivers earlier ones first where there is no room. */
        Completion nextCompletion();

        /** The first FPDU of the peer's has come. */
        void onFirstFpdu();

        /** The response to the read that we sent for being ready to receive has come. */
        void onReadyResponse();
    }

    private final RegionTable regions;
    private final ReceiveQueue receives;
    private final Transmitter transmitter;
    private final Events events;

    private int sendMsn = 1;
    private int readMsn = 1;
    /** The octets of the current Send message that have come. */
    private int received;

    private boolean first = true;
    private boolean sendIsReady;
    private boolean readyResponseDue;
    private boolean lengthError;
    private WorkRequest refusedRead;

    // the segment at hand
    private int opcode;
    private boolean last;
    private Region region;
    private long regionOffset;
    private int payload;
    private int payloadAt;
    private boolean isReady;
    private ReceiveQueue.Entry receive;
    private WorkRequest read;

    Inbound(RegionTable regions, ReceiveQueue receives, Transmitter transmitter, Events events) {
        this.regions = regions;
        this.receives = receives;
        this.transmitter = transmitter;
        this.events = events;
    }

    /** The peer's first FPDU may be an empty Send that only says it is ready to receive (RFC 6581 section 9). */
    void expectReadySend() {
        sendIsReady = true;
    }

    /** The first Read Response will be the one that shows the peer's being ready. */
    void expectReadyResponse() {
        readyResponseDue = true;
    }

    /** What the receive at the head of the queue is flushed with. */
    Completion.Status headReceiveStatus() {
        return lengthError ? Completion.Status.LENGTH_ERROR : Completion.Status.FLUSHED;
    }

    /** The read that the peer's Terminate refused, or null. */
    WorkRequest refusedRead() {
        return refusedRead;
    }

    /** Whether the segment resolved has a payload to place. */
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

    /** Handles a segment that is all there and whose CRC is right. */
    void onSegment(ByteBuffer b, int at, int length) throws StreamFault, RdmaException {
        resolve(b, at, length);
        if (hasTarget()) {
            enterTarget();
            region.copyIn(regionOffset, b, payloadAt, payload);
            region.leave();
        }
        finish(b);
    }

    /** Opens the target for a piece of the payload. */
    void enterTarget() throws StreamFault {
        if (!region.enter()) {
            throw new StreamFault(Fault.DDP_INVALID_STAG, "the memory was invalidated");
        }
    }

    /** Checks a segment of which at least the header is there. */
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

    /** The offset in the region of a range that the peer names by a tagged offset. */
    private static long checkRange(Region region, long taggedOffset, long length, Fault bounds, Fault wrap, String what)
            throws StreamFault {
        if (Long.compareUnsigned(taggedOffset + length, taggedOffset) < 0) {
            throw new StreamFault(wrap, what + " octets at offset " + Long.toHexString(taggedOffset));
        }
        // neither can overflow: a base is positive, and so is an offset that is not below it
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
        int expected = queueOf(opcode);
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

    private static int queueOf(int opcode) {
        return switch (opcode) {
            case Iwarp.SEND, Iwarp.SEND_INVALIDATE, Iwarp.SEND_SOLICITED, Iwarp.SEND_SOLICITED_INVALIDATE ->
                Iwarp.QUEUE_SEND;
            case Iwarp.READ_REQUEST -> Iwarp.QUEUE_READ_REQUEST;
            case Iwarp.TERMINATE -> Iwarp.QUEUE_TERMINATE;
            default -> -1;
        };
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
        if (last && isInvalidating()) {
            int stag = DdpHeader.invalidateStag(b, at);
            if (regions.find(stag) == null) {
                throw new StreamFault(Fault.RDMAP_CANNOT_INVALIDATE, "tag " + hex(stag) + " by message " + sendMsn);
            }
        }
        region = receive.region;
        regionOffset = receive.offset + received;
    }

    private boolean isInvalidating() {
        return opcode == Iwarp.SEND_INVALIDATE || opcode == Iwarp.SEND_SOLICITED_INVALIDATE;
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

    /** Does what the segment asks for, its payload being in place. */
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

    /** The same for a segment whose payload never was in {@code header}'s buffer. */
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
        if (isInvalidating()) {
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
