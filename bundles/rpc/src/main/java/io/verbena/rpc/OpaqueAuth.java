package io.verbena.rpc;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;

/**
 * {@code opaque_auth}: a credential or verifier as it travels (RFC 5531 section 8.2).
 *
 * @param flavor the number of the flavor
 * @param body at most {@link Credential#MAX_BODY} octets, from position to limit; read-only
 */
public record OpaqueAuth(int flavor, ByteBuffer body) {
    /** The verifier of {@code AUTH_NONE}. */
    public static final OpaqueAuth NONE = new OpaqueAuth(Credential.None.FLAVOR, ByteBuffer.allocate(0));

    /** @throws IllegalArgumentException where the body is too long */
    public OpaqueAuth {
        if (body.remaining() > Credential.MAX_BODY) {
            throw new IllegalArgumentException("a body of " + body.remaining() + " octets, where opaque_auth holds "
                    + Credential.MAX_BODY + " at most");
        }
        body = body.asReadOnlyBuffer();
    }

    public OpaqueAuth(int flavor, byte[] body) {
        this(flavor, ByteBuffer.wrap(body));
    }

    public void encode(XdrWriter out) {
        out.putInt(flavor).putOpaque(body);
    }

    /** Reads an {@code opaque_auth}; its body is a copy. */
    public static OpaqueAuth decode(XdrReader in) throws XdrException {
        int flavor = in.getInt();
        int length = in.getCount(Credential.MAX_BODY, 1);
        return flavor == Credential.None.FLAVOR && length == 0
                ? NONE
                : new OpaqueAuth(flavor, in.getFixedOpaque(length));
    }

    /** The octets of the body, as an array of their own. */
    public byte[] octets() {
        byte[] octets = new byte[body.remaining()];
        body.get(body.position(), octets);
        return octets;
    }
}
