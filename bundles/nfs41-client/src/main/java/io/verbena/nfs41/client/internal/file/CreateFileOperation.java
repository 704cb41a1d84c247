package io.verbena.nfs41.client.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Verify;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.names.PathOperation;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A new file from OPEN to CLOSE: OPEN (GUARDED4), GETFH, WRITE (FILE_SYNC4), VERIFY of the size, SETATTR, GETATTR and
 * CLOSE. WRITE and CLOSE name the open by the current stateid (RFC 8881 section 16.2.3.1.2). VERIFY ends the COMPOUND
 * where the server has written less than all, so that a file is closed only when it is complete.
 */
final class CreateFileOperation implements PathOperation<CreateFileOperation.Created>, BorrowingFuture.Use {
    private final Opaque owner;
    private final BorrowingFuture<?> borrower;
    private final Attributes changes;
    private final Attributes initial;
    private final Lock lock = new ReentrantLock();

    @GuardedBy("lock")
    private boolean isCopy;

    /** Whether a request with the octets may have been sent. */
    @GuardedBy("lock")
    private boolean isEncoded;

    private final int length;

    /** The octets; null once the operation is given up, where there is no copy. */
    @GuardedBy("lock")
    private ByteBuffer content;

    /**
     * @param content the remaining octets
     * @param borrower the operation that has borrowed them
     * @param changes what to set behind the WRITE; may be empty
     * @param mode the mode until then
     */
    CreateFileOperation(Opaque owner, ByteBuffer content, BorrowingFuture<?> borrower, Attributes changes, int mode) {
        this.owner = owner;
        this.content = content.slice();
        this.length = content.remaining();
        this.borrower = borrower;
        this.changes = changes;
        this.initial = FileAttributesCodec.mode(mode);
    }

    /**
     * A file that was created.
     *
     * @param flags bits of {@code Open.RESULT_}
     * @param attributes the attributes of the complete and closed file; null where an operation behind OPEN has failed,
     *     so that the file is still open
     */
    record Created(FileHandle handle, StateId stateId, int flags, OpenDelegation delegation, Attributes attributes) {}

    @Override
    public void encode(CompoundWriter operations, String name) {
        ByteBuffer octets = octets();
        Open.Args args = new Open.Args(
                0,
                Open.SHARE_ACCESS_WRITE | Open.WANT_NO_DELEGATION,
                Open.SHARE_DENY_NONE,
                new StateOwner(0, owner),
                new OpenHow.Guarded(initial),
                new OpenClaim.Null(name));
        Open.encodeArgs(operations.next(), args);
        GetFh.encodeArgs(operations.next());
        if (length > 0) {
            Write.encodeArgs(operations.next(), new Write.Args(StateId.CURRENT, 0, StableHow.FILE_SYNC4, octets));
            Attributes size =
                    Attributes.builder().put(Attribute.SIZE, (long) length).build();
            Verify.encodeArgs(operations.next(), new Verify.Args(size));
        }
        if (!changes.mask().isEmpty()) {
            SetAttr.encodeArgs(operations.next(), new SetAttr.Args(StateId.CURRENT, changes));
        }
        operations.getAttr(FileAttributesCodec.WANTED);
        Close.encodeArgs(operations.next(), new Close.Args(0, StateId.CURRENT));
    }

    private ByteBuffer octets() {
        lock.lock();
        try {
            if (content == null) {
                throw new CancellationException("the operation was given up");
            }
            isEncoded = true;
            return content.duplicate();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public BorrowingFuture<?> borrower() {
        return borrower;
    }

    /**
     * Goes on with a copy of the octets: a request that was sent may have made the file, which the next request closes.
     * Before the first request is made, there is nothing to go on with.
     */
    @Override
    public boolean leaveBuffer() {
        lock.lock();
        try {
            if (!isCopy) {
                isCopy = true;
                content = isEncoded ? copy(content) : null;
            }
            return content != null;
        } finally {
            lock.unlock();
        }
    }

    private static ByteBuffer copy(ByteBuffer lent) {
        try {
            return ByteBuffer.allocate(lent.remaining()).put(lent.duplicate()).flip();
        } catch (OutOfMemoryError e) {
            return null; // the request ends
        }
    }

    @Override
    public void giveUp() {
        try {
            boolean unused = leaveBuffer();
        } finally {
            borrower.end(this);
        }
    }

    @Override
    public Created decode(Results results) throws IOException {
        Open.Result opened = Open.decodeResult(results.next(Opcode.OPEN));
        FileHandle handle = results.getFh();
        Attributes attributes;
        try {
            attributes = decodeRest(results);
        } catch (StatusException e) {
            attributes = null; // the caller goes on with the open file
        }
        return new Created(handle, opened.stateId(), opened.flags(), opened.delegation(), attributes);
    }

    private Attributes decodeRest(Results results) throws IOException {
        if (length > 0) {
            Write.Result written = Write.decodeResult(results.next(Opcode.WRITE));
            results.next(Opcode.VERIFY);
            if (written.committed() != StableHow.FILE_SYNC4) {
                throw new PeerProtocolException(
                        "the server has not brought to stable storage what it was sent with FILE_SYNC4 (RFC 8881"
                                + " section 18.32.3)",
                        null);
            }
        }
        if (!changes.mask().isEmpty()) {
            Status status = results.status(Opcode.SETATTR);
            SetAttr.decodeResult(results.body(), status);
            if (!status.isOk()) {
                throw results.failure(status, Opcode.SETATTR);
            }
        }
        Attributes attributes = results.getAttr();
        Close.decodeResult(results.next(Opcode.CLOSE));
        return attributes;
    }

    @Override
    public int transferOctets() {
        return length;
    }

    @Override
    public boolean isCached() {
        return true;
    }
}
