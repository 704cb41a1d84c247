package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.CallProtection;
import io.verbena.rpc.OpaqueAuth;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcMessages;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One exchange of tokens while a context is made: a call of the NULL procedure with a token as its arguments (RFC 2203
 * section 5.2.2).
 */
final class ContextCall implements CallProtection {
    static final int NULL = 0;
    private static final int MAX_HANDLE = 380;

    /** The most octets of a token: more than a Kerberos ticket with the groups of a large site. */
    static final int MAX_TOKEN = 1 << 16;

    private final int program;
    private final int version;
    private final GssCredential credential;
    private volatile OpaqueAuth verifier = OpaqueAuth.NONE;

    /**
     * {@code rpc_gss_init_res} (RFC 2203 section 5.2.3.1), and the verifier of the reply.
     *
     * @param major 0 where the context is made, 1 where another token is awaited, else an error
     * @param window how many sequence numbers the server keeps
     * @param token for the client, empty where there is none
     */
    record Result(ByteBuffer handle, int major, int minor, int window, ByteBuffer token, OpaqueAuth verifier) {}

    private ContextCall(int program, int version, GssCredential credential) {
        this.program = program;
        this.version = version;
        this.credential = credential;
    }

    static CompletableFuture<Result> send(
            RpcConnection by,
            int program,
            int version,
            ByteBuffer handle,
            ProtectionService service,
            byte[] token,
            Duration timeout) {
        int procedure = handle.hasRemaining() ? GssCredential.CONTINUE_INIT : GssCredential.INIT;
        ContextCall exchange =
                new ContextCall(program, version, new GssCredential(procedure, 0, service.number(), handle));
        RpcCall call = new RpcCall(new XdrWriter(), program, version, NULL, (number, of, what) -> exchange);
        call.arguments().putOpaque(token);
        call.timeout(timeout).maxReplySize(MAX_TOKEN);
        return by.call(call, in -> {
            ByteBuffer name = ByteBuffer.wrap(in.getOpaque(MAX_HANDLE));
            Result result = new Result(
                    name,
                    in.getInt(),
                    in.getInt(),
                    in.getInt(),
                    ByteBuffer.wrap(in.getOpaque(MAX_TOKEN)),
                    exchange.verifier);
            in.requireEnd();
            return result;
        });
    }

    @Override
    public void seal(int xid, XdrWriter arguments, XdrWriter message) {
        RpcMessages.writeCall(message, xid, program, version, NULL);
        credential.encode().encode(message);
        OpaqueAuth.NONE.encode(message);
        message.append(arguments);
    }

    @Override
    public void verify(OpaqueAuth found) {
        verifier = found; // checked by the context that the reply completes
    }

    @Override
    public XdrReader open(XdrReader results) throws XdrException {
        return results;
    }

    @Override
    public boolean isWhole() {
        return false;
    }

    @Override
    public int replyOverhead() {
        return 0;
    }
}
