package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import java.net.SocketAddress;
import java.util.List;
import java.util.function.Supplier;

/** What callers find who make their contexts for a program elsewhere: its procedure 0, which does nothing. */
final class ContextProgram implements RpcProgram {
    private static final int NULL = 0;

    private final int program;
    private final int lowVersion;
    private final int highVersion;
    private final Supplier<List<RpcProgram>> elsewhere;

    /**
     * @param program has the numbers
     * @param elsewhere those that callers may connect to
     */
    ContextProgram(RpcProgram program, Supplier<List<RpcProgram>> elsewhere) {
        this.program = program.program();
        this.lowVersion = program.lowVersion();
        this.highVersion = program.highVersion();
        this.elsewhere = elsewhere;
    }

    @Override
    public int program() {
        return program;
    }

    @Override
    public int lowVersion() {
        return lowVersion;
    }

    @Override
    public int highVersion() {
        return highVersion;
    }

    @Override
    public boolean admits(SocketAddress peer) {
        return elsewhere.get().stream().anyMatch(each -> each.admits(peer));
    }

    @Override
    public void handle(RpcRequest request) {
        if (request.procedure() == NULL) {
            request.reply();
        } else {
            request.fail(AcceptStatus.PROC_UNAVAIL);
        }
    }
}
