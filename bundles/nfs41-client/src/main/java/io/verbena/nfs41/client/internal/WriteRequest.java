package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Write;
import java.io.IOException;
import java.nio.ByteBuffer;

/** WRITE from a buffer. */
final class WriteRequest extends Request<Write.Result> {
    static final int MAX_REPLY = 512;

    private final OpenState state;
    private final long offset;
    private final ByteBuffer data;
    private final StableHow stable;

    WriteRequest(OpenState state, long offset, ByteBuffer data, StableHow stable) {
        this.state = state;
        this.offset = offset;
        this.data = data;
        this.stable = stable;
    }

    @Override
    void encode(Operations operations) {
        operations.putFh(state.handle());
        Write.encodeArgs(operations.next(), new Write.Args(state.ioStateId(), offset, stable, data));
    }

    @Override
    Write.Result decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        return Write.decodeResult(results.next(Opcode.WRITE));
    }

    @Override
    int maxReplySize() {
        return MAX_REPLY;
    }
}
