package io.verbena.nfs41.client.internal.callback;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.SessionId;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import java.util.function.Function;

/**
 * The RPC program for callbacks (RFC 8881 section 20). It answers on the receive thread and never waits, so that a
 * callback cannot wait for a reply that the same thread has to receive.
 */
public final class CallbackProgram implements RpcProgram {
    /** The program number, of the range for transient use (RFC 5531 section 8.4). */
    public static final int PROGRAM = 0x40000000;

    private final CallbackCredentials credentials;
    private final CallbackOperations operations;
    private final Function<SessionId, ? extends CallbackSession> sessions;

    /** @param sessions returns the session with an id, or null */
    public CallbackProgram(
            CallbackCredentials credentials,
            CallbackOperations operations,
            Function<SessionId, ? extends CallbackSession> sessions) {
        this.credentials = credentials;
        this.operations = operations;
        this.sessions = sessions;
    }

    @Override
    public int program() {
        return PROGRAM;
    }

    @Override
    public int lowVersion() {
        return CbCompound.VERSION;
    }

    @Override
    public int highVersion() {
        return CbCompound.VERSION;
    }

    @Override
    public void handle(RpcRequest request) throws Exception {
        switch (request.procedure()) {
            case CbCompound.PROC_NULL -> request.reply(); // NULL needs no credential
            case CbCompound.PROC_COMPOUND -> {
                if (credentials.accepts(request.credential())) {
                    request.results()
                            .putFixedOpaque(new CallbackCompound(operations, request.arguments()).evaluate(sessions));
                    request.reply();
                } else {
                    request.reject(AuthStatus.AUTH_BADCRED);
                }
            }
            default -> request.fail(AcceptStatus.PROC_UNAVAIL);
        }
    }
}
