package io.verbena.fuzzing.capture;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of RDMA Sends in one direction of an iWARP connection: MPA (RFC 5044) without markers, DDP (RFC 5041),
 * RDMAP (RFC 5040). RDMA Reads and Writes are skipped.
 */
public final class IwarpSends {
    private static final int MPA_LENGTH_OFFSET = 18;
    private static final int MPA_HEADER = 20;
    private static final int ULPDU_LENGTH = 2;
    private static final int CRC_LENGTH = 4;

    private static final int TAGGED = 0x80;
    private static final int LAST = 0x40;
    private static final int OPCODE = 0x0f;
    private static final int SEND = 3;
    private static final int SEND_INVALIDATE = 4;
    private static final int SEND_SOLICITED = 5;
    private static final int SEND_INVALIDATE_SOLICITED = 6;

    private static final int INVALIDATED_OFFSET = 2;
    private static final int QUEUE_OFFSET = 6;
    private static final int MESSAGE_OFFSET_OFFSET = 14;
    private static final int UNTAGGED_HEADER = 18;

    /**
     * @param message the message sent
     * @param invalidated the steering tag of a Send with Invalidate, otherwise null
     */
    public record Sent(ByteBuffer message, Integer invalidated) {}

    private final List<Sent> sends = new ArrayList<>();
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();

    private IwarpSends() {}

    /** Reads the messages of a stream that begins with the MPA request or reply frame. */
    public static List<Sent> read(byte[] octets) {
        ByteBuffer stream = ByteBuffer.wrap(octets);
        IwarpSends reader = new IwarpSends();
        int at = MPA_HEADER + Short.toUnsignedInt(stream.getShort(MPA_LENGTH_OFFSET));
        while (at < stream.limit()) {
            int length = Short.toUnsignedInt(stream.getShort(at));
            reader.readSegment(stream.slice(at + ULPDU_LENGTH, length));
            int padding = -(ULPDU_LENGTH + length) & 3;
            at += ULPDU_LENGTH + length + padding + CRC_LENGTH;
        }
        return reader.sends;
    }

    private void readSegment(ByteBuffer ddp) {
        int opcode = ddp.get(1) & OPCODE;
        boolean send = opcode == SEND
                || opcode == SEND_INVALIDATE
                || opcode == SEND_SOLICITED
                || opcode == SEND_INVALIDATE_SOLICITED;
        if ((ddp.get(0) & TAGGED) != 0 || !send) {
            return;
        }
        if (ddp.getInt(QUEUE_OFFSET) != 0 || ddp.getInt(MESSAGE_OFFSET_OFFSET) != partial.size()) {
            throw new IllegalStateException("an untagged segment out of turn");
        }
        for (int i = UNTAGGED_HEADER; i < ddp.limit(); i++) {
            partial.write(ddp.get(i));
        }
        if ((ddp.get(0) & LAST) != 0) {
            boolean invalidates = opcode == SEND_INVALIDATE || opcode == SEND_INVALIDATE_SOLICITED;
            Integer invalidated = invalidates ? ddp.getInt(INVALIDATED_OFFSET) : null;
            sends.add(new Sent(ByteBuffer.wrap(partial.toByteArray()), invalidated));
            partial.reset();
        }
    }
}
