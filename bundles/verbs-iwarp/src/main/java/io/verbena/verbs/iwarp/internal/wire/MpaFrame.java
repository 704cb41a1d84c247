package io.verbena.verbs.iwarp.internal.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An MPA Request or Reply frame (RFC 5044 section 7.1.1, RFC 6581 section 6).
 *
 * @param flags {@link Iwarp#MPA_FLAG_CRC} and the other flags
 * @param inboundReads the word that holds IRD, with its flags; 0 unless enhanced
 * @param outboundReads the word that holds ORD, with its flags; 0 unless enhanced
 * @param privateData the private data without these two words
 */
@SuppressWarnings("ArrayRecordComponent")
public // the frames are never compared
record MpaFrame(boolean reply, int flags, int revision, int inboundReads, int outboundReads, byte[] privateData) {
    static final int KEY_LENGTH = 16;
    static final int FLAGS = 16;
    static final int REVISION = 17;
    public static final int PRIVATE_DATA_LENGTH = 18;
    public static final int PRIVATE_DATA = 20;
    static final int INBOUND_READS = 20;
    static final int OUTBOUND_READS = 22;
    static final int READS_LENGTH = 4;
    /** The octets of private data that a user may send beside IRD and ORD. */
    public static final int MAX_USER_DATA = Iwarp.MPA_MAX_PRIVATE_DATA - READS_LENGTH;

    public static final int MAX_LENGTH = PRIVATE_DATA + Iwarp.MPA_MAX_PRIVATE_DATA;

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    public ByteBuffer encode() {
        int reads = has(Iwarp.MPA_FLAG_ENHANCED) ? READS_LENGTH : 0;
        ByteBuffer b = ByteBuffer.allocate(PRIVATE_DATA + reads + privateData.length);
        b.put(Iwarp.mpaKey(reply)).put((byte) flags).put((byte) revision);
        b.putShort((short) (reads + privateData.length));
        if (reads != 0) {
            b.putShort((short) inboundReads).putShort((short) outboundReads);
        }
        return b.put(privateData).flip();
    }

    /**
     * The length of the private data that follows the fixed part. The whole fixed part is in {@code b} from index 0.
     */
    public static int privateDataLength(ByteBuffer b, boolean reply) throws IOException {
        byte[] key = new byte[KEY_LENGTH];
        b.get(0, key);
        if (!Arrays.equals(key, Iwarp.mpaKey(reply))) {
            throw new IOException("what was received is no MPA " + (reply ? "reply" : "request"));
        }
        int length = b.getShort(PRIVATE_DATA_LENGTH) & 0xffff;
        if (length > Iwarp.MPA_MAX_PRIVATE_DATA) {
            throw new IOException("MPA private data of " + length + " octets is over the limit");
        }
        return length;
    }

    /**
     * Decodes a frame that is whole in {@code b} from index 0 and whose length {@link #privateDataLength} has checked.
     */
    public static MpaFrame decode(ByteBuffer b, boolean reply) throws IOException {
        int length = privateDataLength(b, reply);
        int flags = b.get(FLAGS) & 0xff;
        int revision = b.get(REVISION) & 0xff;
        if (revision != Iwarp.MPA_REVISION_1 && revision != Iwarp.MPA_REVISION_2) {
            throw new IOException("MPA revision " + revision + " is not known");
        }
        if (revision == Iwarp.MPA_REVISION_1) {
            // the enhanced flag is a reserved bit in revision 1
            flags &= ~Iwarp.MPA_FLAG_ENHANCED;
        }
        int reads = (flags & Iwarp.MPA_FLAG_ENHANCED) != 0 ? READS_LENGTH : 0;
        if (length < reads) {
            throw new IOException("an enhanced MPA frame with " + length + " octets of private data");
        }
        int inbound = reads == 0 ? 0 : b.getShort(INBOUND_READS) & 0xffff;
        int outbound = reads == 0 ? 0 : b.getShort(OUTBOUND_READS) & 0xffff;
        byte[] data = new byte[length - reads];
        b.get(PRIVATE_DATA + reads, data);
        return new MpaFrame(reply, flags, revision, inbound, outbound, data);
    }
}
