package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.CbCompound;
import io.verbena.nfs41.SessionId;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.AuthStatus;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import java.util.function.Function;

/**
 * What a server may call by the mount's connection (RFC 8881 section 20). Everything is answered at once, on the
 * receive thread, so that the answer to a callback waits for nothing that itself waits for a reply.
 */
final class CallbackProgram implements RpcProgram {
    /** Of the numbers that are free for such use (RFC 5531 section 8.4). */
    static final int PROGRAM = 0x40000000;

    private final CallbackCredentials credentials;
    private final CallbackOperations operations;
    private final Function<SessionId, Session> sessions;

    /**
     * @param sessions the session of that name, or null
     */
    CallbackProgram(
            CallbackCredentials credentials, CallbackOperations operations, Function<SessionId, Session> sessions) {
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
            case CbCompound.PROC_NULL -> request.reply(); // which is for anybody to ask
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
