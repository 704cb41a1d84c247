package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** What codecs of several operations share. */
final class Codec {
    /**
     * The most octets of a name, an owner or the like that is read: as much as any server is known to allow, and more.
     */
    static final int MAX_NAME = 4096;

    /** The most octets of a link's text. */
    static final int MAX_LINK_TEXT = 65536;

    private Codec() {}

    /** An enumeration of the values 0 to {@code max}. */
    static int enumeration(XdrReader in, int max, String type) throws XdrException {
        int value = in.getInt();
        if (value < 0 || value > max) {
            throw new XdrException(type + " " + Integer.toUnsignedString(value), in.position() - 4);
        }
        return value;
    }

    /** The head of a successful {@code nfs_resop4}. */
    static XdrWriter ok(XdrWriter out, int opcode) {
        return out.putInt(opcode).putInt(Status.NFS4_OK.code());
    }
}
