package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import org.ietf.jgss.GSSException;

/** Arguments and results as the services protect them (RFC 2203 sections 5.3.2 and 5.3.3.4). */
final class Wrapping {
    /** The most octets of arguments or results: more than the largest READ and WRITE. */
    static final int MAX_OCTETS = (1 << 24) + (1 << 16);

    /** The most octets of a checksum, and of what encryption adds: more than any mechanism of Kerberos has. */
    static final int MAX_TOKEN = 256;

    private static final int NUMBER = 4;

    private Wrapping() {}

    /** Writes arguments or results with the sequence number of their call. */
    static void wrap(Mechanism mechanism, ProtectionService service, int sequence, XdrWriter plain, XdrWriter out)
            throws GSSException {
        if (service == ProtectionService.NONE) {
            out.append(plain);
            return;
        }
        ByteBuffer body = ByteBuffer.allocate(Math.toIntExact(NUMBER + plain.fullSize()));
        body.putInt(sequence);
        plain.copyFull(body);
        if (service == ProtectionService.INTEGRITY) {
            out.putOpaque(body.array()).putOpaque(mechanism.mic(body.array()));
        } else {
            out.putOpaque(mechanism.wrap(body.array()));
        }
    }

    /**
     * Reads what {@link #wrap} has written.
     *
     * @throws GSSException where they were changed, or are of another call
     */
    static XdrReader unwrap(Mechanism mechanism, ProtectionService service, int sequence, XdrReader in)
            throws XdrException, GSSException {
        if (service == ProtectionService.NONE) {
            return in;
        }
        byte[] body = in.getOpaque(MAX_OCTETS);
        if (service == ProtectionService.INTEGRITY) {
            mechanism.verify(in.getOpaque(MAX_TOKEN), body);
        } else {
            body = mechanism.unwrap(body);
        }
        in.requireEnd();
        if (body.length < NUMBER || ByteBuffer.wrap(body).getInt() != sequence) {
            throw new GSSException(GSSException.BAD_MIC, 0, "the body is of another call");
        }
        return new XdrReader(ByteBuffer.wrap(body, NUMBER, body.length - NUMBER).slice());
    }
}
