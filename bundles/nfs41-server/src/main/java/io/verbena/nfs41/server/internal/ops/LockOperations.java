package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_DENIED;
import static io.verbena.nfs41.Status.NFS4ERR_GRACE;
import static io.verbena.nfs41.Status.NFS4ERR_NO_GRACE;
import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockT;
import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import io.verbena.nfs41.server.internal.session.GracePeriod;
import io.verbena.nfs41.server.internal.state.LockDeniedException;
import io.verbena.nfs41.server.internal.state.LockRequest;
import io.verbena.nfs41.server.internal.state.LockTable;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.List;

/**
 * Byte-range locks, TEST_STATEID and FREE_STATEID. A blocking lock that conflicts is denied at once, and the client
 * asks again.
 */
final class LockOperations {
    private final ExportTree tree;
    private final StateTable states;
    private final LockTable locks;
    private final GracePeriod gracePeriod;

    LockOperations(ExportTree tree, StateTable states, LockTable locks, GracePeriod gracePeriod) {
        this.tree = tree;
        this.states = states;
        this.locks = locks;
        this.gracePeriod = gracePeriod;
    }

    void addTo(OperationTable table) {
        table.addChanging(Opcode.LOCK, this::lock)
                .add(Opcode.LOCKT, this::test)
                .addChanging(Opcode.LOCKU, this::unlock)
                .add(Opcode.TEST_STATEID, this::testStateIds)
                .add(Opcode.FREE_STATEID, this::free);
    }

    private Status lock(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Lock.Args args = Lock.decodeArgs(in);
        Inode inode = context.current();
        requireTime(context, args.reclaim());
        LockRequest request =
                new LockRequest(args.offset(), args.length(), args.type().isWrite());
        try {
            StateId stateId;
            if (args.locker() instanceof Lock.NewLockOwner locker) {
                StateId open = context.resolve(locker.openStateId());
                stateId = locks.lock(context.client(), open, locker.owner().owner(), inode, request);
            } else {
                StateId known = ((Lock.ExistingLockOwner) args.locker()).lockStateId();
                stateId = locks.lockMore(context.client(), context.resolve(known), inode, request);
            }
            context.setStateId(stateId);
            Lock.encodeResult(out, new Lock.Result(stateId));
            return NFS4_OK;
        } catch (LockDeniedException e) {
            Lock.encodeDenied(out, e.denied());
            return NFS4ERR_DENIED;
        }
    }

    private void requireTime(CompoundContext context, boolean isReclaim) throws NfsError {
        if (isReclaim && (context.client().isReclaimComplete() || !gracePeriod.mayReclaim(context.client()))) {
            throw new NfsError(NFS4ERR_NO_GRACE);
        }
        if (!isReclaim && gracePeriod.inGrace()) {
            throw new NfsError(NFS4ERR_GRACE);
        }
    }

    private Status test(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        LockT.Args args = LockT.decodeArgs(in);
        Inode inode = context.current();
        requireTime(context, false);
        ExportTree.requireRegular(tree.attributes(inode));
        LockRequest request =
                new LockRequest(args.offset(), args.length(), args.type().isWrite());
        try {
            locks.testLock(context.client(), args.owner().owner(), inode, request);
            LockT.encodeResult(out);
            return NFS4_OK;
        } catch (LockDeniedException e) {
            LockT.encodeDenied(out, e.denied());
            return NFS4ERR_DENIED;
        }
    }

    private Status unlock(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        LockU.Args args = LockU.decodeArgs(in);
        StateId stateId = locks.unlock(
                context.client(), context.resolve(args.stateId()), context.current(), args.offset(), args.length());
        context.setStateId(stateId);
        LockU.encodeResult(out, new LockU.Result(stateId));
        return NFS4_OK;
    }

    private Status testStateIds(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        List<Status> statuses = TestStateId.decodeArgs(in).stateIds().stream()
                .map(stateId -> states.test(context.client(), stateId))
                .toList();
        TestStateId.encodeResult(out, new TestStateId.Result(statuses));
        return NFS4_OK;
    }

    private Status free(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        states.free(context.client(), FreeStateId.decodeArgs(in).stateId());
        FreeStateId.encodeResult(out);
        return NFS4_OK;
    }
}
