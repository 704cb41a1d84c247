package io.verbena.nfs41.client.internal.file;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.state.OpenState;
import java.io.IOException;
import java.nio.ByteBuffer;

/** READ into a buffer. */
public final class ReadRequest extends CompoundRequest<ReadRequest.Outcome> {
    public static final int MAX_REPLY = 512;

    private final OpenState state;
    private final long offset;
    private final ByteBuffer target;
    private final BorrowingFuture<?> operation;
    private final boolean isBorrowed;
    private ByteBuffer sink;

    /**
     * @param operation what the READ is part of
     * @param isBorrowed whether the caller of the operation owns the target
     */
    ReadRequest(OpenState state, long offset, ByteBuffer target, BorrowingFuture<?> operation, boolean isBorrowed) {
        this.operation = operation;
        this.isBorrowed = isBorrowed;
        this.state = state;
        this.offset = offset;
        this.target = target;
    }

    /** What was read. */
    record Outcome(int count, boolean eof) {}

    @Override
    public void encode(CompoundWriter operations) {
        // a view of its own for each attempt, since reading moves its position
        sink = target.duplicate();
        operations.putFh(state.handle());
        Read.encodeArgs(operations.next(), new Read.Args(state.ioStateId(), offset, target.remaining()));
    }

    @Override
    public Outcome decode(Results results) throws IOException {
        results.next(Opcode.PUTFH);
        boolean eof = Read.decodeResultInto(results.next(Opcode.READ), sink);
        return new Outcome(sink.position() - target.position(), eof);
    }

    @Override
    public BorrowingFuture<?> borrower() {
        return isBorrowed ? operation : null;
    }

    @Override
    public BorrowingFuture<?> operation() {
        return operation;
    }

    @Override
    public ByteBuffer sink() {
        return sink;
    }

    @Override
    public boolean isSpread() {
        return true;
    }

    @Override
    public int transferOctets() {
        return target.remaining();
    }

    @Override
    public int maxReplySize() {
        return MAX_REPLY;
    }
}
