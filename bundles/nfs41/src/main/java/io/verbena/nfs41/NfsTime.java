package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.time.Instant;

/**
 * {@code nfstime4} (RFC 8881 section 3.3.1).
 *
 * @param seconds since 1970-01-01T00:00:00Z, negative before
 * @param nanos 0 to 999,999,999
 */
public record NfsTime(long seconds, int nanos) {
    private static final int NANOS_LIMIT = 1_000_000_000;

    public static NfsTime of(Instant instant) {
        return new NfsTime(instant.getEpochSecond(), instant.getNano());
    }

    /** The same moment, or the nearest that {@link Instant} can hold. */
    public Instant toInstant() {
        if (seconds > Instant.MAX.getEpochSecond()) {
            return Instant.MAX;
        }
        return seconds < Instant.MIN.getEpochSecond() ? Instant.MIN : Instant.ofEpochSecond(seconds, nanos);
    }

    public void encode(XdrWriter out) {
        out.putLong(seconds).putInt(nanos);
    }

    public static NfsTime decode(XdrReader in) throws XdrException {
        long seconds = in.getLong();
        int nanos = in.getInt();
        if (nanos < 0 || nanos >= NANOS_LIMIT) {
            throw new XdrException("nanoseconds of " + Integer.toUnsignedString(nanos), in.position() - 4);
        }
        return new NfsTime(seconds, nanos);
    }
}
