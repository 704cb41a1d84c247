package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.ietf.jgss.GSSException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program behind RPCSEC_GSS (RFC 2203 sections 5.2 to 5.4). Faults of a call, and their answers:
 *
 * <pre>
 * a credential that cannot be decoded                   AUTH_BADCRED
 * another version of RPCSEC_GSS                         AUTH_REJECTEDCRED
 * a service that is not allowed here                    AUTH_TOOWEAK
 * a handle that is not known, or a wrong verifier       RPCSEC_GSS_CREDPROBLEM
 * a sequence number above the greatest                  RPCSEC_GSS_CTXPROBLEM
 * a reply that its context cannot sign                  RPCSEC_GSS_CTXPROBLEM
 * a sequence number that has come, or is too old        none: the call is dropped
 * arguments that were changed                           GARBAGE_ARGS
 * </pre>
 */
final class GssProgram implements RpcProgram {
    private static final Logger LOG = LoggerFactory.getLogger(GssProgram.class);
    private static final int NULL = 0;
    private static final int FAILURE = 13 << 16; // GSS_S_FAILURE

    private final Acceptor server;
    private final RpcProgram inner;

    GssProgram(Acceptor server, RpcProgram inner) {
        this.server = server;
        this.inner = inner;
    }

    @Override
    public int program() {
        return inner.program();
    }

    @Override
    public int lowVersion() {
        return inner.lowVersion();
    }

    @Override
    public int highVersion() {
        return inner.highVersion();
    }

    @Override
    public boolean takesFlavor(int flavor) {
        return flavor == GssCredential.FLAVOR || inner.takesFlavor(flavor);
    }

    @Override
    public boolean admits(SocketAddress peer) {
        return inner.admits(peer);
    }

    @Override
    public void disconnected(RpcPeer peer) {
        inner.disconnected(peer);
    }

    @Override
    public void handle(RpcRequest request) throws Exception {
        if (!(request.credential() instanceof Credential.Other other)) {
            inner.handle(request);
            return;
        }
        if (other.flavor() != GssCredential.FLAVOR) {
            other(request, other.flavor());
            return;
        }
        GssCredential credential;
        try {
            if (GssCredential.version(other.auth()) != GssCredential.VERSION) {
                request.reject(AuthStatus.AUTH_REJECTEDCRED);
                return;
            }
            credential = GssCredential.decode(other.auth());
        } catch (XdrException e) {
            request.reject(AuthStatus.AUTH_BADCRED);
            return;
        }
        switch (credential.procedure()) {
            case GssCredential.DATA -> data(request, credential);
            case GssCredential.DESTROY -> {
                if (request.procedure() == NULL) {
                    data(request, credential);
                } else {
                    request.reject(AuthStatus.AUTH_BADCRED);
                }
            }
            case GssCredential.INIT -> begin(request);
            // Kerberos needs one token of the client; there is no context to continue
            case GssCredential.CONTINUE_INIT -> request.reject(AuthStatus.RPCSEC_GSS_CREDPROBLEM);
            default -> request.reject(AuthStatus.AUTH_BADCRED);
        }
    }

    private void other(RpcRequest request, int flavor) throws Exception {
        if (inner.takesFlavor(flavor)) {
            inner.handle(request);
        } else {
            request.reject(AuthStatus.AUTH_REJECTEDCRED);
        }
    }

    /** Number and service of the credential are undefined, and ignored (RFC 2203 section 5.2.2). */
    private void begin(RpcRequest request) throws XdrException {
        if (request.procedure() != NULL) {
            request.reject(AuthStatus.AUTH_BADCRED);
            return;
        }
        byte[] token = request.arguments().getOpaque(ContextCall.MAX_TOKEN);
        request.arguments().requireEnd();
        if (!server.later(() -> make(request, token))) {
            request.reject(AuthStatus.AUTH_FAILED);
        }
    }

    /** Makes a context of the caller's token, and answers in any case. */
    private void make(RpcRequest request, byte[] token) {
        try {
            Acceptor.Accepted made = server.accept(token);
            request.setVerifier(made.verifier());
            answer(request, made.context().handle(), 0, 0, made.token());
        } catch (GSSException e) {
            LOG.debug("{} is refused: {}", request.peer().remoteAddress(), e.getMessage());
            answer(request, ByteBuffer.allocate(0), major(e), e.getMinor(), ByteBuffer.allocate(0));
        } catch (Throwable e) { // of the JDK's GSS-API, or for want of memory
            LOG.warn(
                    "a security context of {} could not be made", request.peer().remoteAddress(), e);
            request.fail(AcceptStatus.SYSTEM_ERR);
        }
    }

    /** The major status of a failure, as RFC 2744 has it: a routine error in the upper half of the word. */
    private static int major(GSSException failure) {
        int code = failure.getMajor();
        return code > 0 && code < 32 ? Math.min(code, 18) << 16 : FAILURE;
    }

    private static void answer(RpcRequest request, ByteBuffer handle, int major, int minor, ByteBuffer token) {
        request.results().putOpaque(handle).putInt(major).putInt(minor);
        request.results().putInt(GssServer.WINDOW).putOpaque(token);
        request.reply();
    }

    private static ProtectionService service(GssCredential credential) {
        int number = credential.service();
        return number < 1 || number > ProtectionService.values().length ? null : ProtectionService.of(number);
    }

    private void data(RpcRequest request, GssCredential credential) throws Exception {
        ProtectionService service = service(credential);
        if (service == null) {
            request.reject(AuthStatus.AUTH_BADCRED);
            return;
        }
        AcceptorContext context = server.find(credential.handle());
        if (context == null || !isSigned(request, context)) {
            request.reject(AuthStatus.RPCSEC_GSS_CREDPROBLEM);
        } else if (credential.sequence() < 0) {
            request.reject(AuthStatus.RPCSEC_GSS_CTXPROBLEM);
        } else if (isTooWeak(request, credential, service)) {
            request.reject(AuthStatus.AUTH_TOOWEAK);
        } else if (!context.window().take(credential.sequence())) {
            request.drop();
        } else if (signReply(request, context, credential.sequence())) {
            serve(request, credential, service, context);
        } else {
            request.reject(AuthStatus.RPCSEC_GSS_CTXPROBLEM);
        }
    }

    /** Sets the verifier of the reply; false where the context cannot (RFC 2203 section 5.3.3.4.1). */
    private static boolean signReply(RpcRequest request, AcceptorContext context, int sequence) {
        try {
            request.setVerifier(
                    new OpaqueAuth(GssCredential.FLAVOR, context.mechanism().mic(sequence)));
            return true;
        } catch (GSSException e) {
            LOG.debug("no reply to {} can be signed: {}", request.peer().remoteAddress(), e.getMessage());
            return false;
        }
    }

    private boolean isTooWeak(RpcRequest request, GssCredential credential, ProtectionService service) {
        return credential.procedure() == GssCredential.DATA && request.procedure() != NULL && !server.allows(service);
    }

    private static boolean isSigned(RpcRequest request, AcceptorContext context) {
        ByteBuffer header = request.signedHeader();
        byte[] octets = new byte[header.remaining()];
        header.get(octets);
        try {
            context.mechanism().verify(request.verifier().octets(), octets);
            return request.verifier().flavor() == GssCredential.FLAVOR;
        } catch (GSSException e) {
            return false;
        }
    }

    private void serve(RpcRequest request, GssCredential credential, ProtectionService service, AcceptorContext context)
            throws Exception {
        XdrReader arguments;
        try {
            arguments = Wrapping.unwrap(context.mechanism(), service, credential.sequence(), request.arguments());
        } catch (GSSException | XdrException e) {
            LOG.debug("{} sent arguments that were changed: {}", request.peer().remoteAddress(), e.getMessage());
            request.fail(AcceptStatus.GARBAGE_ARGS);
            return;
        }
        GssRequest opened = new GssRequest(request, arguments, context, credential.sequence(), service);
        if (credential.procedure() == GssCredential.DESTROY) {
            server.remove(context);
            opened.reply();
        } else {
            inner.handle(opened);
        }
    }
}
