package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code stateid4}: an open, a lock, a delegation, or a special value (RFC 8881 section 8.2).
 *
 * @param seqid 0 means the most recent one
 * @param otherHigh octets 0 to 7 of {@code other}
 * @param otherLow octets 8 to 11 of {@code other}
 */
public record StateId(int seqid, long otherHigh, int otherLow) {
    /** No state in particular (RFC 8881 section 8.2.3). */
    public static final StateId ANONYMOUS = new StateId(0, 0, 0);

    /** As {@link #ANONYMOUS}, passing over share reservations and locks where the server allows it. */
    public static final StateId READ_BYPASS = new StateId(-1, -1, -1);

    /** The current stateid of the COMPOUND (RFC 8881 section 16.2.3.1.2). */
    public static final StateId CURRENT = new StateId(1, 0, 0);

    /** Names nothing. */
    public static final StateId INVALID = new StateId(-1, 0, 0);

    /** Octets on the wire. */
    public static final int LENGTH = 16;

    /** The same state, its most recent instance whatever that is. */
    public StateId withoutSeqid() {
        return new StateId(0, otherHigh, otherLow);
    }

    /** Whether both name the same state, be it at different times. */
    public boolean isSameState(StateId that) {
        return otherHigh == that.otherHigh && otherLow == that.otherLow;
    }

    public void encode(XdrWriter out) {
        out.putInt(seqid).putLong(otherHigh).putInt(otherLow);
    }

    public static StateId decode(XdrReader in) throws XdrException {
        return new StateId(in.getInt(), in.getLong(), in.getInt());
    }
}
