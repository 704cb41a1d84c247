package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;

/** Reassembles the messages of Sends from the untagged segments of queue 0 of one direction, in order. */
final class SendAssembler {
    /** The longest message that is reassembled; messages of RPC-over-RDMA are far shorter. */
    private static final int MAX_MESSAGE = 1 << 26;

    private final CapturedConnection connection;
    private final CaptureHandler handler;
    private byte[] assembled = new byte[0];
    private int length;
    private boolean skipping;

    SendAssembler(CapturedConnection connection, CaptureHandler handler) {
        this.connection = connection;
        this.handler = handler;
    }

    /** Frames are missing, so that the current message is incomplete. */
    void onGap() {
        skipping = true;
        length = 0;
    }

    /** @param ulpdu a DDP segment with its header, from position to limit */
    void add(ByteBuffer ulpdu, long packet, Instant time) {
        int at = ulpdu.position();
        int opcode = ulpdu.get(at + 1) & IwarpNumbers.RDMAP_OPCODE;
        boolean send = opcode >= IwarpNumbers.SEND && opcode <= IwarpNumbers.SEND_SOLICITED_INVALIDATE;
        if (!send || ulpdu.getInt(at + IwarpNumbers.UNTAGGED_QUEUE) != IwarpNumbers.SEND_QUEUE) {
            return;
        }
        int offset = ulpdu.getInt(at + IwarpNumbers.UNTAGGED_OFFSET);
        boolean last = (ulpdu.get(at) & IwarpNumbers.LAST) != 0;
        ByteBuffer data =
                ulpdu.slice(at + IwarpNumbers.UNTAGGED_HEADER, ulpdu.remaining() - IwarpNumbers.UNTAGGED_HEADER);
        if (skipping && offset != 0) {
            return; // the rest of a message that began before the capture
        }
        skipping = false;
        if (offset != length || data.remaining() > MAX_MESSAGE - length) {
            handler.onProblem("packet " + packet + ": a segment of a Send at the message offset "
                    + Integer.toUnsignedString(offset) + " follows one that ends at " + length);
            onGap();
            return;
        }
        Integer invalidated = opcode == IwarpNumbers.SEND_INVALIDATE || opcode == IwarpNumbers.SEND_SOLICITED_INVALIDATE
                ? ulpdu.getInt(at + IwarpNumbers.UNTAGGED_STAG)
                : null;
        if (last && length == 0) {
            handler.onSend(connection, data, invalidated, packet, time);
            return;
        }
        append(data);
        if (last) {
            int whole = length;
            length = 0;
            handler.onSend(connection, ByteBuffer.wrap(assembled, 0, whole).slice(), invalidated, packet, time);
        }
    }

    private void append(ByteBuffer data) {
        int needed = length + data.remaining();
        if (needed > assembled.length) {
            assembled = Arrays.copyOf(assembled, Math.max(needed, 2 * assembled.length));
        }
        data.get(0, assembled, length, data.remaining());
        length = needed;
    }
}
