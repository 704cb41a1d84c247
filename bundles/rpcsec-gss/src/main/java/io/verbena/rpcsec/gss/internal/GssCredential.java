package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.OpaqueAuth;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;

/**
 * {@code rpc_gss_cred_vers_1_t}: the credential of a call (RFC 2203 section 5).
 *
 * @param procedure one of the constants here
 * @param sequence the sequence number of the call in its context; of no meaning while the context is made
 * @param service the number of a {@link io.verbena.rpc.security.ProtectionService}
 * @param handle the server's name for the context, empty while the server has none
 */
record GssCredential(int procedure, int sequence, int service, ByteBuffer handle) {
    static final int FLAVOR = 6;
    static final int VERSION = 1;
    static final int DATA = 0;
    static final int INIT = 1;
    static final int CONTINUE_INIT = 2;
    static final int DESTROY = 3;

    /** The greatest sequence number of a context (RFC 2203 section 5.3.3.1). */
    static final int MAX_SEQUENCE = 0x7fffffff;

    private static final int MAX_HANDLE = 380;

    OpaqueAuth encode() {
        XdrWriter body = new XdrWriter(64);
        body.putInt(VERSION).putInt(procedure).putInt(sequence).putInt(service).putOpaque(handle);
        return new OpaqueAuth(FLAVOR, body.toByteArray());
    }

    /** The version of RPCSEC_GSS that a credential is of. */
    static int version(OpaqueAuth auth) throws XdrException {
        return new XdrReader(auth.body().duplicate()).getInt();
    }

    /**
     * Reads a credential of version 1.
     *
     * @throws XdrException for a body that cannot be decoded
     */
    static GssCredential decode(OpaqueAuth auth) throws XdrException {
        XdrReader in = new XdrReader(auth.body().duplicate());
        in.getInt(); // the version
        GssCredential read =
                new GssCredential(in.getInt(), in.getInt(), in.getInt(), ByteBuffer.wrap(in.getOpaque(MAX_HANDLE)));
        in.requireEnd();
        return read;
    }
}
