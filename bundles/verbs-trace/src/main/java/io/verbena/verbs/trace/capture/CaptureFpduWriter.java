package io.verbena.verbs.trace.capture;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes frames of messages for one direction of a connection, with CRCs, as an iWARP adapter sends them. For one thread
 * at a time.
 */
public final class CaptureFpduWriter {
    /** Receives a frame, which is valid during the call. */
    public interface Sink {
        void frame(ByteBuffer octets) throws IOException;
    }

    /** The most octets of a message in one segment; with all headers they fit in an IP packet. */
    private static final int MAX_PAYLOAD = 60_000;

    private static final int OVERHEAD = 64;
    private static final int MPA_REVISION_1 = 1;

    private final Sink sink;
    private final ByteBuffer frame = ByteBuffer.allocate(MAX_PAYLOAD + OVERHEAD);
    private int sends;
    private int readRequests;

    public CaptureFpduWriter(Sink sink) {
        this.sink = sink;
    }

    /**
     * A request or a reply of MPA.
     *
     * @param crc whether FPDUs have CRCs
     * @param privateData the private data, truncated to the size that such a frame holds
     */
    public static ByteBuffer handshake(boolean reply, boolean crc, ByteBuffer privateData) {
        int length = Math.min(privateData.remaining(), IwarpNumbers.MPA_MAX_DATA);
        ByteBuffer b = ByteBuffer.allocate(IwarpNumbers.MPA_HEADER + length);
        b.put(IwarpNumbers.key(reply)).put((byte) (crc ? IwarpNumbers.CRC : 0)).put((byte) MPA_REVISION_1);
        b.putShort((short) length).put(privateData.slice(privateData.position(), length));
        return b.flip();
    }

    /** Whether a frame is a request or reply of MPA. */
    public static boolean isHandshake(ByteBuffer frame) {
        return frame.remaining() >= IwarpNumbers.MPA_HEADER && IwarpNumbers.mayBeginWithKey(frame);
    }

    /** Whether a handshake frame is the reply. */
    public static boolean isReply(ByteBuffer frame) {
        return IwarpNumbers.isReply(frame);
    }

    /** Whether an FPDU ends with the CRC of its octets. */
    public static boolean hasCrc(ByteBuffer fpdu) {
        return fpdu.remaining() > IwarpNumbers.CRC_LENGTH && IwarpNumbers.hasGoodCrc(fpdu);
    }

    /** A Send. */
    public void send(ByteBuffer message) throws IOException {
        untagged(IwarpNumbers.SEND, 0, message);
    }

    /** A Send with Invalidate. */
    public void sendWithInvalidate(int tag, ByteBuffer message) throws IOException {
        untagged(IwarpNumbers.SEND_INVALIDATE, tag, message);
    }

    private void untagged(int opcode, int tag, ByteBuffer message) throws IOException {
        int offset = 0;
        sends++;
        do {
            int payload = Math.min(message.remaining(), MAX_PAYLOAD);
            untaggedHeader(opcode, payload == message.remaining(), tag, IwarpNumbers.SEND_QUEUE, sends, offset);
            add(message, payload);
            offset += payload;
        } while (message.hasRemaining());
    }

    /** An RDMA Write. */
    public void write(int tag, long offset, ByteBuffer data) throws IOException {
        tagged(IwarpNumbers.WRITE, tag, offset, data);
    }

    /** The response to a read request; {@code sinkTag} is that of the request. */
    public void readResponse(int sinkTag, ByteBuffer data) throws IOException {
        tagged(IwarpNumbers.READ_RESPONSE, sinkTag, 0, data);
    }

    private void tagged(int opcode, int tag, long offset, ByteBuffer data) throws IOException {
        long at = offset;
        do {
            int payload = Math.min(data.remaining(), MAX_PAYLOAD);
            begin(IwarpNumbers.TAGGED, opcode, payload == data.remaining());
            frame.putInt(tag).putLong(at);
            add(data, payload);
            at += payload;
        } while (data.hasRemaining());
    }

    /** A read request; its sink's offset is 0. */
    public void readRequest(int sinkTag, int length, int sourceTag, long sourceOffset) throws IOException {
        untaggedHeader(IwarpNumbers.READ_REQUEST, true, 0, IwarpNumbers.READ_REQUEST_QUEUE, ++readRequests, 0);
        frame.putInt(sinkTag).putLong(0).putInt(length).putInt(sourceTag).putLong(sourceOffset);
        end();
    }

    private void untaggedHeader(int opcode, boolean last, int tag, int queue, int number, int offset) {
        begin(0, opcode, last);
        frame.putInt(tag).putInt(queue).putInt(number).putInt(offset);
    }

    private void begin(int tagged, int opcode, boolean last) {
        frame.clear().putShort((short) 0);
        frame.put((byte) (tagged | (last ? IwarpNumbers.LAST : 0) | IwarpNumbers.DDP_VERSION));
        frame.put((byte) (IwarpNumbers.RDMAP_VERSION | opcode));
    }

    private void add(ByteBuffer data, int payload) throws IOException {
        frame.put(data.slice(data.position(), payload));
        data.position(data.position() + payload);
        end();
    }

    private void end() throws IOException {
        frame.putShort(0, (short) (frame.position() - IwarpNumbers.ULPDU_LENGTH));
        while (frame.position() % Integer.BYTES != 0) {
            frame.put((byte) 0);
        }
        int crc = IwarpNumbers.crc(frame.duplicate().flip());
        frame.putInt(Integer.reverseBytes(crc));
        sink.frame(frame.flip());
    }
}
