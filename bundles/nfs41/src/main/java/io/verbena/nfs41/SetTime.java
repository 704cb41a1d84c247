package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code settime4}: a time to set (RFC 8881 section 3.3.2).
 *
 * @param time what to set, or null for the server's present time
 */
public record SetTime(NfsTime time) {
    private static final int SET_TO_SERVER_TIME = 0;
    private static final int SET_TO_CLIENT_TIME = 1;

    /** The server's present time. */
    public static final SetTime SERVER_TIME = new SetTime(null);

    public void encode(XdrWriter out) {
        if (time == null) {
            out.putInt(SET_TO_SERVER_TIME);
        } else {
            out.putInt(SET_TO_CLIENT_TIME);
            time.encode(out);
        }
    }

    public static SetTime decode(XdrReader in) throws XdrException {
        return switch (Codec.enumeration(in, SET_TO_CLIENT_TIME, "time_how4")) {
            case SET_TO_SERVER_TIME -> SERVER_TIME;
            default -> new SetTime(NfsTime.decode(in));
        };
    }
}
