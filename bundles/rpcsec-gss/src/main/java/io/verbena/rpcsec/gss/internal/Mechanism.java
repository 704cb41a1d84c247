package io.verbena.rpcsec.gss.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.MessageProp;

/**
 * The operations of an established GSS context. Thread safe. The context's own checks for replays and order are off,
 * since RPCSEC_GSS has sequence numbers of its own (RFC 2203 section 5.2.1).
 */
final class Mechanism {
    @GuardedBy("this")
    private final GSSContext context;

    Mechanism(GSSContext context) {
        this.context = context;
    }

    synchronized byte[] mic(byte[] octets) throws GSSException {
        return context.getMIC(octets, 0, octets.length, new MessageProp(0, false));
    }

    /** The checksum of a number in the order of the network. */
    byte[] mic(int number) throws GSSException {
        return mic(octets(number));
    }

    synchronized void verify(byte[] mic, byte[] octets) throws GSSException {
        context.verifyMIC(mic, 0, mic.length, octets, 0, octets.length, new MessageProp(0, false));
    }

    void verify(byte[] mic, int number) throws GSSException {
        verify(mic, octets(number));
    }

    /** Encrypts. */
    synchronized byte[] wrap(byte[] octets) throws GSSException {
        return context.wrap(octets, 0, octets.length, new MessageProp(0, true));
    }

    /** Decrypts; fails where the octets were not encrypted. */
    synchronized byte[] unwrap(byte[] wrapped) throws GSSException {
        MessageProp how = new MessageProp(0, true);
        byte[] octets = context.unwrap(wrapped, 0, wrapped.length, how);
        if (!how.getPrivacy()) {
            throw new GSSException(GSSException.BAD_MIC, 0, "the octets are not encrypted");
        }
        return octets;
    }

    private static byte[] octets(int number) {
        return ByteBuffer.allocate(4).putInt(0, number).array();
    }
}
