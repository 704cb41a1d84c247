package io.verbena.verbs.trace.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** The formats of the iWARP protocols: MPA (RFC 5044, 6581), DDP (RFC 5041) and RDMAP (RFC 5040). */
final class IwarpNumbers {
    static final int KEY_LENGTH = 16;
    static final int MPA_FLAGS = 16;
    static final int MPA_REVISION = 17;
    static final int MPA_DATA_LENGTH = 18;
    static final int MPA_HEADER = 20;
    static final int MPA_MAX_DATA = 512;
    static final int MARKERS = 0x80;
    static final int CRC = 0x40;

    static final int ULPDU_LENGTH = 2;
    static final int CRC_LENGTH = 4;

    static final int TAGGED = 0x80;
    static final int LAST = 0x40;
    static final int DDP_VERSION = 1;
    static final int DDP_RESERVED = 0x3c;
    static final int DDP_VERSION_MASK = 3;
    static final int RDMAP_VERSION = 0x40;
    static final int RDMAP_OPCODE = 0x0f;

    static final int TAGGED_HEADER = 14;
    static final int UNTAGGED_HEADER = 18;
    static final int UNTAGGED_STAG = 2;
    static final int UNTAGGED_QUEUE = 6;
    static final int UNTAGGED_OFFSET = 14;
    static final int READ_REQUEST_LENGTH = 28;

    static final int WRITE = 0;
    static final int READ_REQUEST = 1;
    static final int READ_RESPONSE = 2;
    static final int SEND = 3;
    static final int SEND_INVALIDATE = 4;
    static final int SEND_SOLICITED = 5;
    static final int SEND_SOLICITED_INVALIDATE = 6;
    static final int TERMINATE = 7;

    static final int SEND_QUEUE = 0;
    static final int READ_REQUEST_QUEUE = 1;

    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);

    private IwarpNumbers() {}

    static byte[] key(boolean reply) {
        return (reply ? REPLY_KEY : REQUEST_KEY).clone();
    }

    /** Whether the available octets may begin a request or reply. */
    static boolean mayBeginWithKey(ByteBuffer b) {
        return beginsWith(b, REQUEST_KEY) || beginsWith(b, REPLY_KEY);
    }

    static boolean isReply(ByteBuffer b) {
        return beginsWith(b, REPLY_KEY);
    }

    private static boolean beginsWith(ByteBuffer b, byte[] key) {
        int n = Math.min(b.remaining(), key.length);
        return b.slice(b.position(), n).mismatch(ByteBuffer.wrap(key, 0, n)) < 0;
    }

    /** The octets of an FPDU with this length field. */
    static int fpduLength(int ulpduLength) {
        return (ULPDU_LENGTH + ulpduLength + 3 & ~3) + CRC_LENGTH;
    }

    /** Whether an FPDU, from position to limit, ends with the right CRC. */
    static boolean hasGoodCrc(ByteBuffer fpdu) {
        int end = fpdu.limit() - CRC_LENGTH;
        return Integer.reverseBytes(fpdu.getInt(end)) == crc(fpdu.slice(fpdu.position(), end - fpdu.position()));
    }

    /** The CRC of the remaining octets; it is sent with its least significant octet first. */
    static int crc(ByteBuffer octets) {
        CRC32C crc = new CRC32C();
        crc.update(octets);
        return (int) crc.getValue();
    }

    /**
     * Whether an FPDU may begin at this offset, whose first octets at least are available.
     *
     * @param end the offset behind the last available octet
     */
    static boolean mayBeFpdu(ByteBuffer b, int at, int end) {
        if (end - at < ULPDU_LENGTH + 2) {
            return false;
        }
        int length = Short.toUnsignedInt(b.getShort(at));
        int ddp = b.get(at + ULPDU_LENGTH);
        int rdmap = b.get(at + ULPDU_LENGTH + 1) & 0xff;
        int opcode = rdmap & RDMAP_OPCODE;
        boolean tagged = (ddp & TAGGED) != 0;
        if ((ddp & DDP_VERSION_MASK) != DDP_VERSION || (rdmap & 0xf0) != RDMAP_VERSION || opcode > TERMINATE) {
            return false;
        }
        return (ddp & DDP_RESERVED) == 0
                && tagged == (opcode == WRITE || opcode == READ_RESPONSE)
                && length >= (tagged ? TAGGED_HEADER : UNTAGGED_HEADER);
    }
}
