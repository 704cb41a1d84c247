package io.verbena.nfs41.client.internal.security;

import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.CallProtection;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcRejectedException;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityClient;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.function.Supplier;

/**
 * The protection of one call by the client that is there when the call is sent: the bundle that makes security contexts
 * can be replaced before the call is sent again. The reply is opened by the client that has sealed the call, also where
 * that one has gone meanwhile.
 */
final class RenewedProtection implements CallProtection {
    private final Supplier<SecurityClient> clients;
    private final ProtectionService service;
    private final int program;
    private final int version;
    private final int procedure;
    private SecurityClient by;
    /** The protection of the last transmission, which the reply answers; null before the first. */
    private CallProtection present;

    /**
     * @param clients the present client, or null
     * @param service what the calls protect
     */
    RenewedProtection(
            Supplier<SecurityClient> clients, ProtectionService service, int program, int version, int procedure) {
        this.clients = clients;
        this.service = service;
        this.program = program;
        this.version = version;
        this.procedure = procedure;
    }

    @Override
    public void seal(int xid, XdrWriter arguments, XdrWriter message) throws RpcException {
        SecurityClient client = clients.get();
        if (client == null) {
            throw new RpcRejectedException(
                    AuthStatus.RPCSEC_GSS_CTXPROBLEM, "there is no security context with the server now");
        }
        if (client != by) {
            present = client.protect(program, version, procedure);
            by = client;
        }
        present.seal(xid, arguments, message);
    }

    @Override
    public void verify(OpaqueAuth verifier) throws PeerProtocolException {
        present.verify(verifier);
    }

    @Override
    public void denied(AuthStatus status) {
        if (present != null) {
            present.denied(status);
        }
    }

    @Override
    public XdrReader open(XdrReader results) throws XdrException, PeerProtocolException {
        return present.open(results);
    }

    @Override
    public boolean isWhole() {
        return service != ProtectionService.NONE;
    }

    @Override
    public int replyOverhead() {
        return present == null ? 0 : present.replyOverhead();
    }
}
