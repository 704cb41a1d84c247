package io.verbena.verbs.iwarp.internal.stream;

import io.verbena.verbs.iwarp.internal.memory.Region;
import io.verbena.verbs.iwarp.internal.memory.RegionInvalidException;
import io.verbena.verbs.iwarp.internal.wire.DdpHeader;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.ReadRequestHeader;
import java.nio.ByteBuffer;

/**
 * The message that is being sent. It is cut into FPDUs batch by batch, so that no tagged message is interleaved with
 * another. Only the thread that owns the send side calls this.
 */
final class OutboundMessage {
    private int opcode;
    private Region region;
    private long offset;
    private long remaining;
    private int tag;
    private long taggedOffset;
    private int msn;
    private int messageOffset;
    private boolean open;
    // of a Read Request
    private int sinkTag;
    private int readSize;
    private long sourceOffset;

    boolean isOpen() {
        return open;
    }

    /** Starts an RDMA Write, or a Read Response with the tag and offset of the sink. */
    void tagged(int newOpcode, Region source, long sourceOffset, long length, int newTag, long newTaggedOffset) {
        opcode = newOpcode;
        region = source;
        offset = sourceOffset;
        remaining = length;
        tag = newTag;
        taggedOffset = newTaggedOffset;
        open = true;
    }

    /** Starts a message of the Send kind. */
    void send(int newOpcode, Region source, long sourceOffset, int length, int newMsn, int invalidateTag) {
        opcode = newOpcode;
        region = source;
        offset = sourceOffset;
        remaining = length;
        tag = invalidateTag;
        msn = newMsn;
        messageOffset = 0;
        open = true;
    }

    /** Starts a Read Request; the tagged offset of the sink is 0. */
    void readRequest(int newMsn, int newSinkTag, int size, int sourceTag, long newSourceOffset) {
        opcode = Iwarp.READ_REQUEST;
        region = null;
        remaining = 0;
        msn = newMsn;
        messageOffset = 0;
        sinkTag = newSinkTag;
        readSize = size;
        tag = sourceTag;
        sourceOffset = newSourceOffset;
        open = true;
    }

    /**
     * Adds as many FPDUs of the message as the batch has room for.
     *
     * @throws RegionInvalidException where the memory that the peer is reading is no longer valid
     */
    void appendTo(FpduWriter writer) throws RegionInvalidException {
        boolean isTagged = opcode == Iwarp.WRITE || opcode == Iwarp.READ_RESPONSE;
        int limit = isTagged ? writer.maxTaggedPayload() : writer.maxUntaggedPayload();
        do {
            int payload = writer.fitting(region, offset, (int) Math.min(remaining, limit));
            if (!writer.hasRoom(region, offset, payload)) {
                return;
            }
            boolean last = payload == remaining;
            int headerLength = putHeader(writer.staging(), writer.header(), last);
            if (!writer.append(headerLength, region, offset, payload, opcode == Iwarp.READ_RESPONSE)) {
                throw new RegionInvalidException();
            }
            offset += payload;
            taggedOffset += payload;
            messageOffset += payload;
            remaining -= payload;
        } while (remaining > 0);
        open = false;
        region = null;
    }

    private int putHeader(ByteBuffer b, int at, boolean last) {
        switch (opcode) {
            case Iwarp.WRITE, Iwarp.READ_RESPONSE -> {
                DdpHeader.putTagged(b, at, opcode, last, tag, taggedOffset);
                return DdpHeader.TAGGED_LENGTH;
            }
            case Iwarp.READ_REQUEST -> {
                DdpHeader.putUntagged(b, at, opcode, true, 0, Iwarp.QUEUE_READ_REQUEST, msn, 0);
                ReadRequestHeader.put(b, at + DdpHeader.UNTAGGED_LENGTH, sinkTag, 0, readSize, tag, sourceOffset);
                return DdpHeader.UNTAGGED_LENGTH + ReadRequestHeader.LENGTH;
            }
            default -> {
                DdpHeader.putUntagged(b, at, opcode, last, tag, Iwarp.QUEUE_SEND, msn, messageOffset);
                return DdpHeader.UNTAGGED_LENGTH;
            }
        }
    }
}
