package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.*;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenDowngrade;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.file.OpenFiles;
import io.verbena.nfs41.server.internal.ops.OpenTargets.Target;
import io.verbena.nfs41.server.internal.session.GracePeriod;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.state.Delegations.Opened;
import io.verbena.nfs41.server.internal.state.OpenRequest;
import io.verbena.nfs41.server.internal.state.OpenRoom;
import io.verbena.nfs41.server.internal.state.StateTable;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.FoundObject;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/** OPEN, OPEN_DOWNGRADE and CLOSE (RFC 8881 sections 18.16, 18.18 and 18.2). */
final class OpenOperations {
    private static final int ACCESS_MASK = Open.SHARE_ACCESS_BOTH;
    private static final int WANT_FLAGS =
            Open.WANT_DELEGATION_MASK | Open.WANT_SIGNAL_WHEN_RESOURCE_AVAILABLE | Open.WANT_PUSH_WHEN_UNCONTENDED;

    private final ExportTree tree;
    private final TreeChanges changes;
    private final OpenTargets targets;
    private final StateTable states;
    private final Delegations delegations;
    private final GracePeriod gracePeriod;
    private final FileOperations files;
    private final OpenFiles openFiles;
    private final boolean readOnly;

    OpenOperations(
            ExportTree tree,
            TreeChanges changes,
            OpenTargets targets,
            StateTable states,
            Delegations delegations,
            GracePeriod gracePeriod,
            FileOperations files,
            OpenFiles openFiles,
            boolean readOnly) {
        this.tree = tree;
        this.changes = changes;
        this.targets = targets;
        this.states = states;
        this.delegations = delegations;
        this.gracePeriod = gracePeriod;
        this.files = files;
        this.openFiles = openFiles;
        this.readOnly = readOnly;
    }

    void addTo(OperationTable table) {
        table.addChanging(Opcode.OPEN, this::open)
                .addChanging(Opcode.OPEN_DOWNGRADE, this::downgrade)
                .addChanging(Opcode.CLOSE, this::close);
    }

    private Status open(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Open.Args args = Open.decodeArgs(in);
        int access = args.shareAccess() & ACCESS_MASK;
        boolean isSane = access != 0
                && (args.shareAccess() & ~(ACCESS_MASK | WANT_FLAGS)) == 0
                && (args.shareDeny() & ~Open.SHARE_DENY_BOTH) == 0;
        if (!isSane) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        requireTime(context, args.claim() instanceof OpenClaim.Previous);
        return context.here(targets.isReady(args.how()), () -> open(context, args, access, out));
    }

    /** Opens a file. Whoever makes one is not put off afterwards: he would find the file at his next try. */
    private Status open(CompoundContext context, Open.Args args, int access, XdrWriter out) throws IOException {
        try (OpenRoom room = states.room(context.client(), args.owner().owner())) {
            return OpenTargets.creates(args)
                    ? delegations.changing(
                            context.client(), context.current(), () -> open(context, args, access, room, out))
                    : open(context, args, access, room, out);
        }
    }

    private Status open(CompoundContext context, Open.Args args, int access, OpenRoom room, XdrWriter out)
            throws IOException {
        Target target = targets.find(context, args, room);
        requireFile(target.file().attributes());
        boolean truncates = !target.isNew() && OpenTargets.truncates(args.how());
        if (!target.isNew()) {
            int needed = truncates ? access | Open.SHARE_ACCESS_WRITE : access;
            requirePermission(context.caller(), target.file().attributes(), needed, mayHaveBeenOpen(args.claim()));
        }
        Inode directory = context.current();
        Inode inode = target.file().inode();
        AtomicReference<Opened> made = new AtomicReference<>();
        Runnable undo = () -> undo(context, inode, made.getAndSet(null));
        try {
            if (truncates) {
                truncate(context, args, room, inode, made);
            } else {
                made.set(opened(context, args, room, target.file()));
            }
            hold(args, inode);
            if (target.isNew()) {
                context.persistBeforeReply(undo, directory, inode);
            } else if (truncates) {
                context.persistBeforeReply(undo, inode);
            }
            return opened(context, target, truncates, made.get(), out);
        } catch (Throwable e) { // as of a program that the host executes, or where there is no memory
            undo.run();
            throw e;
        }
    }

    private Status opened(CompoundContext context, Target target, boolean truncates, Opened opened, XdrWriter out)
            throws IOException {
        Inode inode = target.file().inode();
        // others may have changed the file before the delegation, which makes its attributes certain
        boolean areKnown = !truncates && !isDelegated(opened.delegation());
        context.setCurrent(areKnown ? target.file() : new FoundObject(inode, tree.attributes(inode)));
        context.setStateId(opened.open());
        Open.encodeResult(
                out,
                new Open.Result(
                        opened.open(),
                        target.change(),
                        Open.RESULT_LOCKTYPE_POSIX | (tree.keepsRemovedFiles() ? Open.RESULT_PRESERVE_UNLINKED : 0),
                        truncates ? AttributeMask.of(Attribute.SIZE) : target.attributesSet(),
                        opened.delegation()));
        return NFS4_OK;
    }

    private static boolean isDelegated(OpenDelegation granted) {
        return granted instanceof OpenDelegation.ForReading || granted instanceof OpenDelegation.ForWriting;
    }

    /**
     * Takes back an open that has failed before the client was told of it.
     *
     * @param opened null where nothing was opened, or it was taken back already
     */
    private void undo(CompoundContext context, Inode inode, Opened opened) {
        if (opened == null) {
            return;
        }
        delegations.takeBack(context.client(), inode, opened);
        if (openFiles.closed(inode)) {
            delegations.forget(inode);
        }
    }

    /** Keeps the file for the client until CLOSE, also if the file loses its name. */
    private void hold(Open.Args args, Inode inode) throws IOException {
        try {
            openFiles.hold(inode, (args.shareAccess() & Open.SHARE_ACCESS_WRITE) != 0);
        } catch (IOException e) { // the file was removed just before
            boolean byName =
                    args.claim() instanceof OpenClaim.Null || args.claim() instanceof OpenClaim.DelegateCurrent;
            throw byName && IoErrors.status(e) == NFS4ERR_STALE ? new NfsError(NFS4ERR_NOENT) : e;
        }
    }

    /**
     * Opens and truncates a file. No other client is granted a delegation between the two.
     *
     * @param made receives the open, also where the rest fails
     */
    private void truncate(
            CompoundContext context, Open.Args args, OpenRoom room, Inode inode, AtomicReference<Opened> made)
            throws IOException {
        delegations.changing(context.client(), inode, () -> {
            made.set(delegations.open(request(context, args, room, inode, Open.SHARE_ACCESS_WRITE, 0)));
            boolean unused = changes.dropSetId(inode, context.caller());
            files.truncate(inode, 0);
        });
    }

    private Opened opened(CompoundContext context, Open.Args args, OpenRoom room, FoundObject file) throws NfsError {
        OpenRequest request =
                request(context, args, room, file.inode(), 0, file.attributes().size());
        if (args.claim() instanceof OpenClaim.Previous previous) {
            return delegations.reclaim(request, previous.delegationType());
        }
        if (args.claim() instanceof OpenClaim.DelegateCurrent claim) {
            return delegations.openDelegated(request, context.resolve(claim.delegation()));
        }
        if (args.claim() instanceof OpenClaim.DelegateCurrentByHandle claim) {
            return delegations.openDelegated(request, context.resolve(claim.delegation()));
        }
        return delegations.open(request);
    }

    /** @param further the access that is used at once, whatever the file is opened for */
    private static OpenRequest request(
            CompoundContext context, Open.Args args, OpenRoom room, Inode inode, int further, long size) {
        int access = args.shareAccess() & ACCESS_MASK;
        return new OpenRequest(
                context.client(),
                args.owner().owner(),
                context.caller().uid(),
                inode,
                access,
                access | further,
                args.shareDeny(),
                args.shareAccess() & Open.WANT_DELEGATION_MASK,
                size,
                context.requestId(),
                room);
    }

    /** Whether the client may have had the file open before this OPEN, by a reclaimed open or by its delegation. */
    private static boolean mayHaveBeenOpen(OpenClaim claim) {
        return claim instanceof OpenClaim.Previous
                || claim instanceof OpenClaim.DelegateCurrent
                || claim instanceof OpenClaim.DelegateCurrentByHandle;
    }

    /**
     * Refuses new opens until the grace period is over and the client has completed its reclaims (RFC 8881 section
     * 8.4.2).
     */
    private void requireTime(CompoundContext context, boolean isReclaim) throws NfsError {
        boolean complete = context.client().isReclaimComplete();
        if (isReclaim) {
            if (complete || !gracePeriod.mayReclaim(context.client())) {
                throw new NfsError(NFS4ERR_NO_GRACE);
            }
        } else if (!complete || gracePeriod.inGrace()) {
            throw new NfsError(NFS4ERR_GRACE);
        }
    }

    private static void requireFile(UnixAttributes attributes) throws NfsError {
        if (!attributes.isRegular() && !attributes.isDirectory() && !attributes.isSymbolicLink()) {
            throw new NfsError(NFS4ERR_WRONG_TYPE);
        }
        ExportTree.requireRegular(attributes);
    }

    /**
     * Checks the permission. The owner of a file that was open before always has it: the mode may have changed since.
     */
    private void requirePermission(Caller caller, UnixAttributes attributes, int access, boolean wasOpen)
            throws NfsError {
        boolean writes = (access & Open.SHARE_ACCESS_WRITE) != 0;
        if (writes && readOnly) {
            throw new NfsError(NFS4ERR_ROFS);
        }
        if (wasOpen && caller.owns(attributes)) {
            return;
        }
        int allowed = caller.allowed(attributes);
        boolean mayRead = (allowed & (Caller.READ | Caller.EXECUTE)) != 0;
        boolean reads = (access & Open.SHARE_ACCESS_READ) != 0;
        if ((writes && (allowed & Caller.WRITE) == 0) || (reads && !mayRead)) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
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
        Inode inode = context.current();
        states.close(context.client(), context.resolve(args.stateId()), inode);
        if (openFiles.closed(inode)) {
            delegations.forget(inode);
        }
        context.setStateId(null);
        Close.encodeResult(out, new Close.Result(StateId.INVALID));
        return NFS4_OK;
    }
}
