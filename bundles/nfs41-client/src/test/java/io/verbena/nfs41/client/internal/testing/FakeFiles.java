package io.verbena.nfs41.client.internal.testing;

import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ChangeInfo;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.DelegReturn;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FileSystemId;
import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockT;
import io.verbena.nfs41.LockU;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.NVerify;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.PutFh;
import io.verbena.nfs41.PutRootFh;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import io.verbena.nfs41.Verify;
import io.verbena.nfs41.Write;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The files of a {@link FakeServer}: one file by many names, unless it has handles of its own for them, and links. */
final class FakeFiles {
    private final FakeServer server;
    private final Map<String, String> links = new ConcurrentHashMap<>();
    private String current = "";
    private FileHandle putFh = FakeServer.HANDLE;
    private boolean fromRoot;
    /** Whether the present COMPOUND has opened the file, so that the current stateid is that of the open. */
    private boolean isOpened;

    FakeFiles(FakeServer server) {
        this.server = server;
    }

    void link(String name, String text) {
        links.put(name, text);
    }

    void unlink(String name) {
        links.remove(name);
    }

    /**
     * Executes an operation on the current file handle.
     *
     * @param failure what it is to fail with, or null
     * @return null where it did not
     */
    Status execute(int opcode, XdrReader in, XdrWriter out, Status failure) throws IOException {
        switch (opcode) {
            case Opcode.PUTROOTFH -> {
                fromRoot = true;
                current = "";
                putFh = FakeServer.HANDLE;
                PutRootFh.encodeResult(out);
            }
            case Opcode.PUTFH -> {
                putFh = PutFh.decodeArgs(in).object();
                fromRoot = false;
                isOpened = false;
                current = "";
                if (failure == null) {
                    PutFh.encodeResult(out);
                }
            }
            case Opcode.LOOKUP -> {
                String name = Lookup.decodeArgs(in).name();
                if (links.containsKey(current)) {
                    return Status.NFS4ERR_SYMLINK;
                }
                if (isMoved()) {
                    return Status.NFS4ERR_MOVED;
                }
                if (failure == null) {
                    current = name;
                    Lookup.encodeResult(out);
                }
            }
            case Opcode.LOOKUPP -> LookupP.encodeResult(out);
            case Opcode.READLINK -> ReadLink.encodeResult(out, new ReadLink.Result(links.get(current)));
            case Opcode.GETFH -> {
                if (isMoved()) {
                    return Status.NFS4ERR_MOVED;
                }
                GetFh.encodeResult(out, new GetFh.Result(currentHandle()));
            }
            case Opcode.GETATTR -> {
                AttributeMask asked = GetAttr.decodeArgs(in).request();
                if (isMoved() && !asked.contains(Attribute.FS_LOCATIONS)) {
                    return Status.NFS4ERR_MOVED;
                }
                if (failure == null) {
                    GetAttr.encodeResult(out, new GetAttr.Result(attributes(asked)));
                }
            }
            default -> {
                return file(opcode, in, out, failure);
            }
        }
        return failure;
    }

    private FileHandle currentHandle() {
        return current.isEmpty() ? putFh : server.handles.getOrDefault(current, FakeServer.HANDLE);
    }

    private boolean isMoved() {
        return server.moved.contains(current);
    }

    private boolean isKnown(StateId used) {
        server.used.add(used);
        return (used.equals(StateId.CURRENT) ? isOpened : used.isSameState(server.stateId))
                || used.isSameState(server.lockStateId())
                || server.delegations.isHeld(currentHandle(), used);
    }

    private ObjectType typeOfCurrent() {
        if (fromRoot && !server.exportsFile) {
            return ObjectType.NF4DIR;
        }
        return links.containsKey(current) ? ObjectType.NF4LNK : ObjectType.NF4REG;
    }

    private Attributes attributes(AttributeMask request) {
        Attributes.Builder builder = Attributes.builder();
        if (request.contains(Attribute.SUPPORTED_ATTRS)) {
            builder.put(Attribute.SUPPORTED_ATTRS, server.supported);
            builder.put(Attribute.SUPPATTR_EXCLCREAT, server.settableInExclusiveCreate);
        }
        if (request.contains(Attribute.TYPE)) {
            builder.put(Attribute.TYPE, typeOfCurrent());
        }
        if (request.contains(Attribute.FS_LOCATIONS) && server.locations != null) {
            builder.put(Attribute.FS_LOCATIONS, server.locations);
        }
        if (request.contains(Attribute.SIZE)) {
            builder.put(Attribute.SIZE, (long) server.size);
        }
        if (request.contains(Attribute.CHANGE)) {
            builder.put(Attribute.CHANGE, server.change);
        }
        if (request.contains(Attribute.FSID)) {
            builder.put(Attribute.FSID, new FileSystemId(server.fileSystem, 0));
        }
        if (request.contains(Attribute.FILEID) && server.fileId != 0) {
            builder.put(Attribute.FILEID, server.fileId);
        }
        if (request.contains(Attribute.LEASE_TIME)) {
            builder.put(Attribute.LEASE_TIME, 90);
        }
        return builder.build();
    }

    private Status file(int opcode, XdrReader in, XdrWriter out, Status failure) throws IOException {
        switch (opcode) {
            case Opcode.OPEN -> {
                Open.Args args = Open.decodeArgs(in);
                if (args.claim() instanceof OpenClaim.Null claim) {
                    current = claim.file();
                }
                Status judged = failure == null ? server.delegations.judge(currentHandle(), args) : failure;
                if (judged.isOk()) {
                    isOpened = server.hasCurrentStateId;
                    Open.encodeResult(
                            out,
                            new Open.Result(
                                    server.stateId,
                                    new ChangeInfo(true, 1, 2),
                                    server.openFlags,
                                    AttributeMask.EMPTY,
                                    server.delegations.grant(currentHandle(), args)));
                    return null;
                }
                return judged;
            }
            case Opcode.VERIFY -> {
                Attributes expected = Verify.decodeArgs(in).attributes();
                if (failure != null || !attributes(expected.mask()).equals(expected)) {
                    return failure != null ? failure : Status.NFS4ERR_NOT_SAME;
                }
                Verify.encodeResult(out);
            }
            case Opcode.NVERIFY -> {
                Attributes unexpected = NVerify.decodeArgs(in).attributes();
                if (failure != null || attributes(unexpected.mask()).equals(unexpected)) {
                    return failure != null ? failure : Status.NFS4ERR_SAME;
                }
                NVerify.encodeResult(out);
            }
            case Opcode.DELEGRETURN -> {
                StateId returned = DelegReturn.decodeArgs(in).stateId();
                Status status = failure != null ? failure : server.delegations.giveBack(currentHandle(), returned);
                if (!status.isOk()) {
                    return status;
                }
                DelegReturn.encodeResult(out);
            }
            case Opcode.ACCESS -> {
                int asked = Access.decodeArgs(in).access();
                Access.encodeResult(out, new Access.Result(asked, asked & ~server.denied));
            }
            case Opcode.TEST_STATEID -> {
                List<StateId> ids = TestStateId.decodeArgs(in).stateIds();
                TestStateId.encodeResult(
                        out, new TestStateId.Result(ids.stream().map(this::test).toList()));
            }
            case Opcode.FREE_STATEID -> {
                server.delegations.freed.add(FreeStateId.decodeArgs(in).stateId());
                FreeStateId.encodeResult(out);
            }
            case Opcode.SAVEFH -> SaveFh.encodeResult(out);
            case Opcode.REMOVE -> {
                String name = Remove.decodeArgs(in).target();
                if (failure != null) {
                    return failure;
                }
                server.named.add("remove " + name);
                Remove.encodeResult(out, new Remove.Result(new ChangeInfo(true, 1, 2)));
            }
            case Opcode.RENAME -> {
                Rename.Args args = Rename.decodeArgs(in);
                if (failure != null) {
                    return failure;
                }
                server.named.add("rename " + args.oldName() + " " + args.newName());
                ChangeInfo changed = new ChangeInfo(true, 1, 2);
                Rename.encodeResult(out, new Rename.Result(changed, changed));
            }
            case Opcode.LINK -> {
                String name = Link.decodeArgs(in).newName();
                if (failure != null) {
                    return failure;
                }
                server.named.add("link " + name);
                Link.encodeResult(out, new Link.Result(new ChangeInfo(true, 1, 2)));
            }
            case Opcode.READDIR -> {
                ReadDir.Args args = ReadDir.decodeArgs(in);
                if (failure != null) {
                    return failure;
                }
                Object listed = server.directory.apply(args);
                if (listed instanceof Status refused) {
                    return refused;
                }
                ReadDir.encodeResult(out, (ReadDir.Result) listed);
            }
            case Opcode.LOCKT -> {
                LockT.decodeArgs(in);
                LockT.encodeResult(out);
            }
            case Opcode.CLOSE -> {
                Close.decodeArgs(in);
                if (failure != null) {
                    return failure;
                }
                Close.encodeResult(out, new Close.Result(StateId.INVALID));
                server.fileClosed.countDown();
            }
            case Opcode.READ -> {
                Read.Args args = Read.decodeArgs(in);
                boolean isAllowed = isKnown(args.stateId()) || args.stateId().equals(StateId.ANONYMOUS);
                if (failure != null || !isAllowed) {
                    return failure != null ? failure : Status.NFS4ERR_BAD_STATEID;
                }
                int from = (int) Math.min(args.offset(), server.size);
                int to = Math.min(server.size, from + args.count());
                Read.encodeResult(
                        out, new Read.Result(to == server.size, ByteBuffer.wrap(server.content, from, to - from)));
            }
            case Opcode.WRITE -> {
                Write.Args args = Write.decodeArgs(in);
                if (failure != null) {
                    return failure;
                }
                if (!isKnown(args.stateId())) {
                    return Status.NFS4ERR_BAD_STATEID;
                }
                int count = Math.min(server.maxWrite, args.data().remaining());
                args.data().get(args.data().position(), server.content, (int) args.offset(), count);
                server.size = Math.max(server.size, (int) args.offset() + count);
                Write.encodeResult(out, new Write.Result(count, args.stable(), server.verifier.get()));
            }
            case Opcode.SETATTR -> {
                SetAttr.Args args = SetAttr.decodeArgs(in);
                if (failure != null) {
                    return failure;
                }
                server.used.add(args.stateId());
                server.set.add(args.attributes());
                int size = args.attributes()
                        .get(Attribute.SIZE, (long) server.size)
                        .intValue();
                Arrays.fill(server.content, Math.min(size, server.size), server.size, (byte) 0);
                server.size = size;
                SetAttr.encodeResult(out, new SetAttr.Result(Status.NFS4_OK, AttributeMask.EMPTY));
            }
            case Opcode.LOCK -> {
                Lock.Args args = Lock.decodeArgs(in);
                server.locked.add(args);
                if (failure != null) {
                    return failure;
                }
                Lock.encodeResult(out, new Lock.Result(server.lockStateId()));
            }
            case Opcode.LOCKU -> {
                LockU.decodeArgs(in);
                if (failure != null) {
                    return failure;
                }
                LockU.encodeResult(out, new LockU.Result(server.lockStateId()));
            }
            case Opcode.COMMIT -> {
                Commit.decodeArgs(in);
                if (failure != null) {
                    return failure;
                }
                if (server.losesAlways) {
                    server.verifier.incrementAndGet();
                }
                if (server.forgetsUncommitted) {
                    server.forgetsUncommitted = false;
                    Arrays.fill(server.content, (byte) 0);
                    server.verifier.incrementAndGet();
                }
                Commit.encodeResult(out, new Commit.Result(server.verifier.get()));
            }
            default -> {
                return Status.NFS4ERR_NOTSUPP;
            }
        }
        return null;
    }

    private Status test(StateId id) {
        server.tested.add(id);
        Status told = server.judgement.apply(id);
        if (told != null) {
            return told;
        }
        boolean known = id.isSameState(server.stateId)
                || id.isSameState(server.lockStateId())
                || server.delegations.held.values().stream().anyMatch(id::isSameState);
        return known ? Status.NFS4_OK : Status.NFS4ERR_DELEG_REVOKED;
    }
}
