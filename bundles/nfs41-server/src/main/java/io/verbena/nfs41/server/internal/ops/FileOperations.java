package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_FBIG;
import static io.verbena.nfs41.Status.NFS4ERR_GRACE;
import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.file.OpenFiles;
import io.verbena.nfs41.server.internal.file.WriteVerifier;
import io.verbena.nfs41.server.internal.session.GracePeriod;
import io.verbena.nfs41.server.internal.session.ServerLimits;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * READ, WRITE and COMMIT. Data goes between the file's channel and the transport's memory without a copy. Reads and
 * unstable writes use the page cache and are executed at once; steps that wait for a disk are left to a worker.
 */
final class FileOperations {
    /** The octets of a reply around READ's data: RPC header, SEQUENCE, PUTFH and the like. */
    private static final int REPLY_RESERVE = 512;

    private final ExportTree tree;
    private final TreeChanges changes;
    private final OpenFiles files;
    private final StateTable states;
    private final Delegations delegations;
    private final GracePeriod gracePeriod;
    private final WriteVerifier verifier;

    /** @param verifier by which clients recognize that uncommitted data may be lost */
    FileOperations(
            ExportTree tree,
            TreeChanges changes,
            OpenFiles files,
            StateTable states,
            Delegations delegations,
            GracePeriod gracePeriod,
            WriteVerifier verifier) {
        this.tree = tree;
        this.changes = changes;
        this.files = files;
        this.states = states;
        this.delegations = delegations;
        this.gracePeriod = gracePeriod;
        this.verifier = verifier;
    }

    void addTo(OperationTable table) {
        table.add(Opcode.READ, this::read)
                .addChanging(Opcode.WRITE, this::write)
                .add(Opcode.COMMIT, this::commit);
    }

    private Status read(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Read.Args args = Read.decodeArgs(in);
        Inode inode = context.current();
        StateId stateId = context.resolve(args.stateId());
        requireAccess(context, stateId, inode, Open.SHARE_ACCESS_READ);
        if (StateTable.isSpecial(stateId)) {
            delegations.requireCurrent(context.client(), inode);
        }
        int limit = limit(context, args.count(), out);
        Read.encodeResult(out, files.with(inode, false, file -> read(context.request(), file, args.offset(), limit)));
        context.changed(); // GETATTR before and behind tell whether somebody has changed the file meanwhile
        return NFS4_OK;
    }

    private static Read.Result read(RpcRequest request, OpenFile file, long offset, int limit) throws IOException {
        long size = file.size();
        // an offset above 2^63 - 1 is behind the end of any file
        long left = offset < 0 ? 0 : Math.max(0, size - offset);
        int wanted = (int) Math.min(limit, left);
        ByteBuffer data = allocate(request, wanted);
        int count = wanted > 0 ? Math.max(0, file.read(data, offset)) : 0;
        data.flip();
        // fewer octets than expected: the file was truncated meanwhile
        return new Read.Result(count < wanted || count >= left, data);
    }

    private static ByteBuffer allocate(RpcRequest request, int bytes) throws NfsError {
        try {
            return request.allocate(bytes);
        } catch (MemoryRefusedException e) {
            throw new NfsError(NFS4ERR_DELAY); // the client asks again later (RFC 8881 section 15.1.1.3)
        }
    }

    /**
     * How many octets a READ may return: the smallest of the requested count, the server's limit and the client's room.
     */
    private static int limit(CompoundContext context, int asked, XdrWriter out) {
        long limit = Math.min(Integer.toUnsignedLong(asked), ServerLimits.MAX_IO);
        long capacity = context.request().resultCapacity(context.nextDataItem());
        if (capacity >= 0) {
            limit = Math.min(limit, capacity);
        }
        long room = context.session().fore().maxResponseSize() - out.fullSize() - REPLY_RESERVE;
        return (int) Math.max(0, Math.min(limit, room));
    }

    private Status write(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Write.Args args = Write.decodeArgs(in);
        Inode inode = context.current();
        changes.requireWritable();
        StateId stateId = context.resolve(args.stateId());
        requireAccess(context, stateId, inode, Open.SHARE_ACCESS_WRITE);
        int count = args.data().remaining();
        if (args.offset() < 0 || args.offset() > Long.MAX_VALUE - count) {
            throw new NfsError(NFS4ERR_FBIG);
        }
        context.changed();
        CompoundContext.Step write = StateTable.isSpecial(stateId)
                ? () -> delegations.changing(context.client(), inode, () -> write(context, inode, args, out))
                : () -> write(context, inode, args, out);
        return write.run();
    }

    private Status write(CompoundContext context, Inode inode, Write.Args args, XdrWriter out) throws IOException {
        long before = verifier.value();
        int count = args.data().remaining();
        boolean unused = count > 0 && changes.dropSetId(inode, context.caller());
        files.with(inode, true, file -> {
            file.write(args.data(), args.offset());
            return null;
        });
        if (args.stable() != StableHow.UNSTABLE4) {
            context.forceBeforeReply(inode);
        }
        Write.encodeResult(out, new Write.Result(count, args.stable(), before));
        return NFS4_OK;
    }

    private Status commit(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Commit.decodeArgs(in); // the JDK can bring only whole files to stable storage
        Inode inode = context.current();
        return context.onWorker(() -> {
            ExportTree.requireRegular(tree.attributes(inode));
            long committed = files.with(inode, false, file -> verifier.force(file, true));
            Commit.encodeResult(out, new Commit.Result(committed));
            return NFS4_OK;
        });
    }

    /** Changes a file's size for SETATTR and OPEN. */
    void setSize(CompoundContext context, StateId stateId, Inode inode, long size) throws IOException {
        ExportTree.requireRegular(tree.attributes(inode));
        requireAccess(context, stateId, inode, Open.SHARE_ACCESS_WRITE);
        boolean unused = changes.dropSetId(inode, context.caller());
        truncate(inode, size);
    }

    void truncate(Inode inode, long size) throws IOException {
        files.with(inode, true, file -> {
            file.setSize(size);
            return null;
        });
    }

    /**
     * Refuses a user who has not opened the file for this access, and has no permission either. The permission counts
     * for a special stateid, for a delegation, and for the stateid of another user's open.
     */
    private void requireAccess(CompoundContext context, StateId stateId, Inode inode, int access) throws IOException {
        if (states.checkAccess(context.client(), context.caller().uid(), stateId, inode, access)) {
            return;
        }
        if (StateTable.isSpecial(stateId) && gracePeriod.inGrace()) {
            throw new NfsError(NFS4ERR_GRACE);
        }
        UnixAttributes attributes = tree.attributes(inode);
        ExportTree.requireRegular(attributes);
        if (!mayUse(context.caller(), attributes, access)) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
    }

    /**
     * Whether the user may access the file. The owner may: the client has checked the mode when it opened the file. A
     * user that may execute the file may read it.
     */
    private static boolean mayUse(Caller caller, UnixAttributes attributes, int access) {
        if (caller.owns(attributes)) {
            return true;
        }
        int allowed = caller.allowed(attributes);
        return access == Open.SHARE_ACCESS_WRITE
                ? (allowed & Caller.WRITE) != 0
                : (allowed & (Caller.READ | Caller.EXECUTE)) != 0;
    }
}
