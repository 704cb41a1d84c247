package io.verbena.rpcsec.gss.internal;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import org.ietf.jgss.GSSException;

/** A request whose caller is proved. Its arguments are opened, and its results are protected as the caller asks. */
final class GssRequest implements RpcRequest {
    private final RpcRequest outer;
    private final XdrReader arguments;
    private final XdrWriter results;
    private final AcceptorContext context;
    private final int sequence;
    private final ProtectionService service;
    private final Credential credential;

    GssRequest(
            RpcRequest outer, XdrReader arguments, AcceptorContext context, int sequence, ProtectionService service) {
        this.outer = outer;
        this.arguments = arguments;
        this.context = context;
        this.sequence = sequence;
        this.service = service;
        this.results = isWhole() ? new XdrWriter() : outer.results();
        this.credential = new Credential.Proved(GssCredential.FLAVOR, context.principal(), service.number());
    }

    private boolean isWhole() {
        return service != ProtectionService.NONE;
    }

    @Override
    public RpcPeer peer() {
        return outer.peer();
    }

    @Override
    public int xid() {
        return outer.xid();
    }

    @Override
    public int version() {
        return outer.version();
    }

    @Override
    public int procedure() {
        return outer.procedure();
    }

    @Override
    public Credential credential() {
        return credential;
    }

    @Override
    public ByteBuffer signedHeader() {
        return outer.signedHeader();
    }

    @Override
    public OpaqueAuth verifier() {
        return outer.verifier();
    }

    @Override
    public void setVerifier(OpaqueAuth verifier) {
        throw new IllegalStateException("RPCSEC_GSS has set the verifier");
    }

    @Override
    public XdrReader arguments() {
        return arguments;
    }

    @Override
    public XdrWriter results() {
        return results;
    }

    @Override
    public ByteBuffer allocate(int bytes) throws MemoryRefusedException {
        return outer.allocate(bytes);
    }

    /** Results that are protected as a whole go with the rest of the reply (RFC 8166 section 10.2). */
    @Override
    public long resultCapacity(int index) {
        return isWhole() ? -1 : outer.resultCapacity(index);
    }

    @Override
    public void reply() {
        if (isWhole()) {
            try {
                Wrapping.wrap(context.mechanism(), service, sequence, results, outer.results());
            } catch (GSSException e) { // no reply (RFC 2203 section 5.3.3.4.4); the client makes another context
                outer.drop();
                return;
            } catch (Throwable e) { // for example there is no memory for the wrapped results
                outer.fail(AcceptStatus.SYSTEM_ERR);
                throw e;
            }
        }
        outer.reply();
    }

    @Override
    public void fail(AcceptStatus status) {
        outer.fail(status);
    }

    @Override
    public void reject(AuthStatus status) {
        outer.reject(status);
    }

    @Override
    public void drop() {
        outer.drop();
    }
}
