package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.*;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ChangeInfo;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenDowngrade;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.state.Recovery;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.vfs.AttributeSettings;
import io.verbena.nfs41.server.internal.vfs.Caller;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Found;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.IoErrors;
import io.verbena.nfs41.server.internal.vfs.NfsError;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.nfs41.server.internal.vfs.UnixAttributes;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;

/** OPEN, OPEN_DOWNGRADE and CLOSE (RFC 8881 sections 18.16, 18.18 and 18.2). No delegations are given. */
final class OpenOperations {
    private static final int ACCESS_MASK = Open.SHARE_ACCESS_BOTH;
    private static final int WANT_FLAGS =
            Open.WANT_DELEGATION_MASK | Open.WANT_SIGNAL_WHEN_RESOURCE_AVAILABLE | Open.WANT_PUSH_WHEN_UNCONTENDED;
    private static final AttributeSettings EXCLUSIVE_MODE = AttributeSettings.NONE.withMode(0600);

    private final ExportTree tree;
    private final TreeChanges changes;
    private final StateTable states;
    private final Recovery recovery;
    private final AttributeMapper mapper;
    private final FileOperations files;
    private final boolean readOnly;
    private final ExclusiveCreates exclusives;

    OpenOperations(
            ExportTree tree,
            TreeChanges changes,
            StateTable states,
            Recovery recovery,
            AttributeMapper mapper,
            FileOperations files,
            ExclusiveCreates exclusives,
            boolean readOnly) {
        this.tree = tree;
        this.changes = changes;
        this.states = states;
        this.recovery = recovery;
        this.mapper = mapper;
        this.files = files;
        this.exclusives = exclusives;
        this.readOnly = readOnly;
    }

    void addTo(OperationTable table) {
        table.addChanging(Opcode.OPEN, this::open)
                .addChanging(Opcode.OPEN_DOWNGRADE, this::downgrade)
                .addChanging(Opcode.CLOSE, this::close);
    }

    /**
     * The file to open.
     *
     * @param change how its directory changed, both numbers equal where it did not
     * @param isNew whether it was made by this OPEN
     * @param attributesSet at making it
     */
    private record Target(Found file, ChangeInfo change, boolean isNew, AttributeMask attributesSet) {}

    private Status open(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Open.Args args = Open.decodeArgs(in);
        int access = args.shareAccess() & ACCESS_MASK;
        boolean isSane = access != 0
                && (args.shareAccess() & ~(ACCESS_MASK | WANT_FLAGS)) == 0
                && (args.shareDeny() & ~Open.SHARE_DENY_BOTH) == 0;
        if (!isSane) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        boolean isReclaim = args.claim() instanceof OpenClaim.Previous;
        requireTime(context, isReclaim);
        Target target = target(context, args);
        requireFile(target.file.attributes());
        boolean truncates = !target.isNew && truncates(args.how());
        if (!target.isNew) {
            int needed = truncates ? access | Open.SHARE_ACCESS_WRITE : access;
            requirePermission(context.caller(), target.file.attributes(), needed, isReclaim);
        }
        Inode inode = target.file.inode();
        StateId stateId = states.open(context.client(), args.owner().owner(), inode, access, args.shareDeny());
        if (truncates) {
            files.truncate(inode, 0);
        }
        context.setCurrent(truncates ? new Found(inode, tree.attributes(inode)) : target.file);
        context.setStateId(stateId);
        Open.encodeResult(
                out,
                new Open.Result(
                        stateId,
                        target.change,
                        Open.RESULT_LOCKTYPE_POSIX,
                        truncates ? AttributeMask.of(Attribute.SIZE) : target.attributesSet,
                        delegation(args.shareAccess())));
        return NFS4_OK;
    }

    /** New opens wait for the end of the grace period and of the client's own reclaims (RFC 8881 section 8.4.2). */
    private void requireTime(CompoundContext context, boolean isReclaim) throws NfsError {
        boolean complete = context.client().isReclaimComplete();
        if (isReclaim) {
            if (complete || !recovery.mayReclaim(context.client())) {
                throw new NfsError(NFS4ERR_NO_GRACE);
            }
        } else if (!complete || recovery.inGrace()) {
            throw new NfsError(NFS4ERR_GRACE);
        }
    }

    private Target target(CompoundContext context, Open.Args args) throws IOException {
        if (args.claim() instanceof OpenClaim.Null claim) {
            return args.how() instanceof OpenHow.NoCreate
                    ? existing(context, tree.lookup(context.current(), claim.file(), context.caller()))
                    : create(context, claim.file(), args.how());
        }
        boolean byHandle = args.claim() instanceof OpenClaim.ByHandle || args.claim() instanceof OpenClaim.Previous;
        if (!byHandle) {
            throw new NfsError(NFS4ERR_BAD_STATEID); // claims by delegations: none was ever given
        }
        if (!(args.how() instanceof OpenHow.NoCreate)) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        Inode inode = context.current();
        Found found = new Found(inode, tree.attributes(inode));
        return new Target(found, new ChangeInfo(false, 0, 0), false, AttributeMask.EMPTY);
    }

    private Target existing(CompoundContext context, Found found) throws IOException {
        Inode directory = context.current();
        long change = ExportTree.change(directory, tree.attributes(directory));
        return new Target(found, new ChangeInfo(false, change, change), false, AttributeMask.EMPTY);
    }

    private Target create(CompoundContext context, String name, OpenHow how) throws IOException {
        Attributes attributes = attributes(how);
        AttributeSettings settings = how instanceof OpenHow.Exclusive ? EXCLUSIVE_MODE : mapper.settings(attributes);
        Long verifier = verifier(how);
        Inode directory = context.current();
        try {
            TreeChanges.Changed made = changes.createFile(directory, name, settings, context.caller());
            if (verifier != null) {
                exclusives.made(made.object().inode(), verifier);
            }
            return new Target(sized(made.object(), settings), made.change(), true, attributes.mask());
        } catch (IOException e) {
            Status status = IoErrors.status(e);
            boolean mayExist = status == NFS4ERR_EXIST || (status == NFS4ERR_ROFS && how instanceof OpenHow.Unchecked);
            if (!mayExist) {
                throw e;
            }
            return createdBefore(context, name, how, verifier, e);
        }
    }

    /** The file is there: for UNCHECKED4 all is well, for exclusive modes where the same request has made it. */
    private Target createdBefore(CompoundContext context, String name, OpenHow how, Long verifier, IOException failure)
            throws IOException {
        Found found;
        try {
            found = tree.lookup(context.current(), name, context.caller());
        } catch (IOException e) {
            throw IoErrors.status(e) == NFS4ERR_NOENT ? failure : e;
        }
        if (how instanceof OpenHow.Unchecked) {
            return existing(context, found);
        }
        if (verifier != null && exclusives.isMadeBy(found.inode(), verifier)) {
            Target target = existing(context, found);
            return new Target(found, target.change, true, attributes(how).mask());
        }
        throw failure;
    }

    private Found sized(Found made, AttributeSettings settings) throws IOException {
        if (settings.size() == null || settings.size() == 0) {
            return made;
        }
        files.truncate(made.inode(), settings.size());
        return new Found(made.inode(), tree.attributes(made.inode()));
    }

    private static Attributes attributes(OpenHow how) {
        if (how instanceof OpenHow.Unchecked unchecked) {
            return unchecked.attributes();
        } else if (how instanceof OpenHow.Guarded guarded) {
            return guarded.attributes();
        } else if (how instanceof OpenHow.ExclusiveWithAttributes exclusive) {
            return exclusive.attributes();
        }
        return Attributes.EMPTY;
    }

    private static Long verifier(OpenHow how) {
        if (how instanceof OpenHow.Exclusive exclusive) {
            return exclusive.verifier();
        }
        return how instanceof OpenHow.ExclusiveWithAttributes exclusive ? exclusive.verifier() : null;
    }

    private static boolean truncates(OpenHow how) {
        Long size = attributes(how).get(Attribute.SIZE);
        return how instanceof OpenHow.Unchecked && size != null && size == 0;
    }

    private static void requireFile(UnixAttributes attributes) throws NfsError {
        if (!attributes.isRegular() && !attributes.isDirectory() && !attributes.isSymbolicLink()) {
            throw new NfsError(NFS4ERR_WRONG_TYPE);
        }
        ExportTree.requireRegular(attributes);
    }

    /** To a reclaim the owner always has permission: the mode may have changed since the file was opened. */
    private void requirePermission(Caller caller, UnixAttributes attributes, int access, boolean isReclaim)
            throws NfsError {
        boolean writes = (access & Open.SHARE_ACCESS_WRITE) != 0;
        if (writes && readOnly) {
            throw new NfsError(NFS4ERR_ROFS);
        }
        if (isReclaim && caller.owns(attributes)) {
            return;
        }
        int allowed = caller.allowed(attributes);
        boolean mayRead = (allowed & (Caller.READ | Caller.EXECUTE)) != 0;
        boolean reads = (access & Open.SHARE_ACCESS_READ) != 0;
        if ((writes && (allowed & Caller.WRITE) == 0) || (reads && !mayRead)) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
    }

    private static OpenDelegation delegation(int shareAccess) {
        int wanted = shareAccess & Open.WANT_DELEGATION_MASK;
        if (wanted == Open.WANT_NO_PREFERENCE) {
            return new OpenDelegation.None();
        }
        boolean unwanted = wanted == Open.WANT_NO_DELEGATION || wanted == Open.WANT_CANCEL;
        return new OpenDelegation.NoneExtended(
                unwanted ? OpenDelegation.NoneExtended.NOT_WANTED : OpenDelegation.NoneExtended.RESOURCE, false);
    }

    private Status downgrade(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        OpenDowngrade.Args args = OpenDowngrade.decodeArgs(in);
        StateId stateId = states.downgrade(
                context.client(),
                context.resolve(args.stateId()),
                context.current(),
                args.shareAccess() & ACCESS_MASK,
                args.shareDeny());
        context.setStateId(stateId);
        OpenDowngrade.encodeResult(out, new OpenDowngrade.Result(stateId));
        return NFS4_OK;
    }

    private Status close(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Close.Args args = Close.decodeArgs(in);
        states.close(context.client(), context.resolve(args.stateId()), context.current());
        context.setStateId(null);
        Close.encodeResult(out, new Close.Result(StateId.INVALID));
        return NFS4_OK;
    }
}
