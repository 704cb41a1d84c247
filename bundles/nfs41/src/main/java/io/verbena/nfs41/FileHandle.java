package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code nfs_fh4}: how a server names an object (RFC 8881 section 4).
 *
 * @param value at most {@value #MAX_LENGTH} octets
 */
public record FileHandle(Opaque value) {
    /** {@code NFS4_FHSIZE}. */
    public static final int MAX_LENGTH = 128;

    public FileHandle {
        if (value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("a file handle has at most 128 octets, not " + value.length());
        }
    }

    public static FileHandle of(byte... octets) {
        return new FileHandle(Opaque.of(octets));
    }

    public void encode(XdrWriter out) {
        value.encode(out);
    }

    public static FileHandle decode(XdrReader in) throws XdrException {
        return new FileHandle(Opaque.decode(in, MAX_LENGTH));
    }
}
