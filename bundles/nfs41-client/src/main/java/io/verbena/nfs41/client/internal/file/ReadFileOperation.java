package io.verbena.nfs41.client.internal.file;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.FileRead;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.names.PathOperation;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * GETATTR, READ with the anonymous stateid (RFC 8881 section 8.2.3) and GETATTR of the current object. The server keeps
 * no state for that, so the request may be repeated at any time.
 */
final class ReadFileOperation implements PathOperation<FileRead> {
    /** Enough for two GETATTRs with long names of owner and group. */
    private static final int MAX_REPLY = 1792;

    private final ByteBuffer target;
    private final BorrowingFuture<?> borrower;
    private ByteBuffer sink;

    ReadFileOperation(ByteBuffer target, BorrowingFuture<?> borrower) {
        this.borrower = borrower;
        this.target = target;
    }

    @Override
    public void encode(CompoundWriter operations, String name) {
        // a view of its own for each attempt, since reading moves its position
        sink = target.duplicate();
        operations.getAttr(FileAttributesCodec.WANTED);
        Read.encodeArgs(operations.next(), new Read.Args(StateId.ANONYMOUS, 0, target.remaining()));
        operations.getAttr(FileAttributesCodec.WANTED);
    }

    /** Returns null where the server has read less than it could. */
    @Override
    public FileRead decode(Results results) throws IOException {
        Attributes before = results.getAttr();
        boolean eof = Read.decodeResultInto(results.next(Opcode.READ), sink);
        int count = sink.position() - target.position();
        FileRead read =
                new FileRead(count, FileAttributesCodec.decode(before), FileAttributesCodec.decode(results.getAttr()));
        return eof || count == target.remaining() ? read : null;
    }

    @Override
    public BorrowingFuture<?> borrower() {
        return borrower;
    }

    @Override
    public ByteBuffer sink() {
        return sink;
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
