package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.CallProtection;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.ietf.jgss.GSSException;

/** The protection of one call by the present context of its client (RFC 2203 section 5.3). */
final class DataProtection implements CallProtection {
    private final GssClient client;
    private final int credentialProcedure;
    private final int program;
    private final int version;
    private final int procedure;
    private final List<Transmission> transmissions = new ArrayList<>(1);
    /** The transmission that the reply answers. */
    private Transmission answered;

    private record Transmission(InitiatorContext context, int sequence) {}

    /** @param credentialProcedure {@link GssCredential#DATA} or {@link GssCredential#DESTROY} */
    DataProtection(GssClient client, int credentialProcedure, int program, int version, int procedure) {
        this.client = client;
        this.credentialProcedure = credentialProcedure;
        this.program = program;
        this.version = version;
        this.procedure = procedure;
    }

    @Override
    public void seal(int xid, XdrWriter arguments, XdrWriter message) throws RpcRejectedException {
        InitiatorContext context = client.context();
        int sequence = context == null ? 0 : context.next();
        if (sequence == 0) {
            throw lost("there is no security context with the server now");
        }
        ProtectionService service = client.service();
        RpcMessages.writeCall(message, xid, program, version, procedure);
        new GssCredential(credentialProcedure, sequence, service.number(), context.handle())
                .encode()
                .encode(message);
        byte[] header = new byte[message.position()];
        message.copyStream(0, header.length, ByteBuffer.wrap(header));
        try {
            new OpaqueAuth(GssCredential.FLAVOR, context.mechanism().mic(header)).encode(message);
            Wrapping.wrap(context.mechanism(), service, sequence, arguments, message);
        } catch (GSSException e) {
            client.lost(context);
            RpcRejectedException failure = lost("the security context with the server is of no use any more");
            failure.addSuppressed(e);
            throw failure;
        }
        transmissions.add(new Transmission(context, sequence));
    }

    private static RpcRejectedException lost(String why) {
        return new RpcRejectedException(AuthStatus.RPCSEC_GSS_CTXPROBLEM, why);
    }

    @Override
    public void verify(OpaqueAuth verifier) throws PeerProtocolException {
        byte[] mic = verifier.octets();
        GSSException last = null;
        for (int i = transmissions.size() - 1; verifier.flavor() == GssCredential.FLAVOR && i >= 0; i--) {
            Transmission each = transmissions.get(i);
            try {
                each.context.mechanism().verify(mic, each.sequence);
                answered = each;
                return;
            } catch (GSSException e) {
                last = e;
            }
        }
        throw new PeerProtocolException(
                "the reply's verifier is not of the server: it may have been changed on its way (RFC 2203 5.3.3.1)",
                last);
    }

    @Override
    public void denied(AuthStatus status) {
        if (status == AuthStatus.RPCSEC_GSS_CREDPROBLEM || status == AuthStatus.RPCSEC_GSS_CTXPROBLEM) {
            transmissions.forEach(each -> client.lost(each.context));
        }
    }

    @Override
    public XdrReader open(XdrReader results) throws XdrException, PeerProtocolException {
        try {
            return Wrapping.unwrap(answered.context.mechanism(), client.service(), answered.sequence, results);
        } catch (GSSException e) {
            throw new PeerProtocolException(
                    "the results are not those that the server has protected: they may have been changed on their way"
                            + " (RFC 2203 5.3.3.4)",
                    e);
        }
    }

    @Override
    public boolean isWhole() {
        return client.service() != ProtectionService.NONE;
    }

    @Override
    public int replyOverhead() {
        int verifier = Credential.MAX_BODY;
        return isWhole() ? verifier + 12 + Wrapping.MAX_TOKEN : verifier;
    }
}
