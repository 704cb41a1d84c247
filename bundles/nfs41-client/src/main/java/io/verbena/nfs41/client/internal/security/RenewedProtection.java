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
 * can be replaced before the call is sent again.
 */
final class RenewedProtection implements CallProtection {
    private final Supplier<SecurityClient> clients;
    private final ProtectionService service;
    private final int program;
    private final int version;
    private final int procedure;
    private SecurityClient by;
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

    /** The protection by the present client; null where there is none. */
    private CallProtection renew() {
        SecurityClient client = clients.get();
        if (client != by) {
            by = client;
            present = client == null ? null : client.protect(program, version, procedure);
        }
        return present;
    }

    @Override
    public void seal(int xid, XdrWriter arguments, XdrWriter message) throws RpcException {
        CallProtection protection = renew();
        if (protection == null) {
            throw new RpcRejectedException(
                    AuthStatus.RPCSEC_GSS_CTXPROBLEM, "there is no security context with the server now");
        }
        protection.seal(xid, arguments, message);
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
        CallProtection protection = renew();
        return protection == null ? 0 : protection.replyOverhead();
    }
}
