package io.verbena.nfs41.client.internal.write;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.state.OpenState;
import java.io.IOException;
import java.nio.ByteBuffer;

/** WRITE from a buffer. */
public final class WriteRequest extends CompoundRequest<Write.Result> {
    public static final int MAX_REPLY = 512;

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
    public void encode(CompoundWriter operations) {
        operations.putFh(state.handle());
        Write.encodeArgs(operations.next(), new Write.Args(state.ioStateId(), offset, stable, data));
    }

    @Override
    public Write.Result decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        return Write.decodeResult(results.next(Opcode.WRITE));
    }

    @Override
    public boolean isSpread() {
        return true;
    }

    @Override
    public int transferOctets() {
        return data.remaining();
    }

    @Override
    public int maxReplySize() {
        return MAX_REPLY;
    }
}
