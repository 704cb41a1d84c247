package io.verbena.nfs41.server.internal.util;

import static io.verbena.nfs41.Status.NFS4ERR_BADCHAR;
import static io.verbena.nfs41.Status.NFS4ERR_BADNAME;
import static io.verbena.nfs41.Status.NFS4ERR_INVAL;
import static io.verbena.nfs41.Status.NFS4ERR_NAMETOOLONG;

import io.verbena.text.OctetText;

/**
 * Checks names of entries ({@code component4}; RFC 8881 sections 1.7 and 14). Names are octets, which need not be
 * UTF-8; a String holds them as {@link OctetText} does.
 */
public final class Names {
    /** The most octets of a name. */
    public static final int MAX_LENGTH = 255;

    private Names() {}

    /**
     * Throws if the octets are not one valid name.
     *
     * @throws NfsError {@code INVAL} for the empty name, {@code BADNAME} for {@code .}, {@code ..} and what holds a
     *     slash, {@code BADCHAR} for a zero and for what is no text of octets, {@code NAMETOOLONG}
     */
    public static void check(String name) throws NfsError {
        if (name.isEmpty()) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        if (name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
            throw new NfsError(NFS4ERR_BADNAME);
        }
        if (name.indexOf('\0') >= 0 || !OctetText.isEncodable(name)) {
            throw new NfsError(NFS4ERR_BADCHAR);
        }
        if (name.length() > MAX_LENGTH || OctetText.encode(name).length > MAX_LENGTH) {
            throw new NfsError(NFS4ERR_NAMETOOLONG);
        }
    }
}
