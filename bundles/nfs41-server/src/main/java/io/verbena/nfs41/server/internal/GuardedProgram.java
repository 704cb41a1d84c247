package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.SecurityFlavor;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcPeer;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import java.net.SocketAddress;

/**
 * A program behind RPCSEC_GSS, whose implementation comes and goes while the program is listened for. Without one,
 * contexts cannot be made, those made before are not known, and calls of other flavors go on. Thread safe.
 */
final class GuardedProgram implements RpcProgram {
    /** {@code RPCSEC_GSS_INIT} and {@code RPCSEC_GSS_CONTINUE_INIT} (RFC 2203 section 5). */
    private static final int INIT = 1;

    private static final int CONTINUE_INIT = 2;

    private final RpcProgram inner;
    private volatile RpcProgram guarded;

    GuardedProgram(RpcProgram inner) {
        this.inner = inner;
    }

    RpcProgram inner() {
        return inner;
    }

    /** Takes another program around the inner one, or null for none. */
    void use(RpcProgram other) {
        guarded = other;
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
    public void handle(RpcRequest request) throws Exception {
        RpcProgram by = guarded;
        if (by != null) {
            by.handle(request);
        } else if (request.credential() instanceof Credential.Other other
                && other.flavor() == SecurityFlavor.RPCSEC_GSS) {
            request.reject(isInit(other.auth()) ? AuthStatus.AUTH_FAILED : AuthStatus.RPCSEC_GSS_CREDPROBLEM);
        } else {
            inner.handle(request);
        }
    }

    /** Whether a credential makes a context: its procedure is the second word (RFC 2203 section 5.2.1.1). */
    private static boolean isInit(OpaqueAuth auth) {
        if (auth.body().remaining() < 2 * Integer.BYTES) {
            return false;
        }
        int procedure = auth.body().getInt(auth.body().position() + Integer.BYTES);
        return procedure == INIT || procedure == CONTINUE_INIT;
    }

    @Override
    public boolean admits(SocketAddress peer) {
        return inner.admits(peer);
    }

    @Override
    public boolean takesFlavor(int flavor) {
        return flavor == SecurityFlavor.RPCSEC_GSS || inner.takesFlavor(flavor);
    }

    @Override
    public void disconnected(RpcPeer peer) {
        inner.disconnected(peer);
    }
}
