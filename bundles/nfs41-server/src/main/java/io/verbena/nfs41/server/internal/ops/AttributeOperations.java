package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_NOT_SAME;
import static io.verbena.nfs41.Status.NFS4ERR_SAME;
import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.NVerify;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Verify;
import io.verbena.nfs41.server.internal.attribute.AttributeProgress;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Operations on an object's attributes and permissions. */
final class AttributeOperations {
    private static final Logger LOG = LoggerFactory.getLogger(AttributeOperations.class);

    /** The attributes that the holder of a write delegation may have changed without informing the server. */
    private static final AttributeMask DELEGATED = AttributeMask.of(
            Attribute.CHANGE, Attribute.SIZE, Attribute.SPACE_USED, Attribute.TIME_METADATA, Attribute.TIME_MODIFY);

    private final ExportTree tree;
    private final TreeChanges changes;
    private final AttributeMapper mapper;
    private final FileOperations files;
    private final Delegations delegations;
    private final boolean readOnly;

    AttributeOperations(
            ExportTree tree,
            TreeChanges changes,
            AttributeMapper mapper,
            FileOperations files,
            Delegations delegations,
            boolean readOnly) {
        this.tree = tree;
        this.changes = changes;
        this.mapper = mapper;
        this.files = files;
        this.delegations = delegations;
        this.readOnly = readOnly;
    }

    void addTo(OperationTable table) {
        table.add(Opcode.GETATTR, this::getAttributes)
                .addChanging(Opcode.SETATTR, this::setAttributes)
                .add(Opcode.ACCESS, this::access)
                .add(Opcode.VERIFY, this::verify)
                .add(Opcode.NVERIFY, this::verifyNot)
                .add(Opcode.READLINK, this::readLink);
    }

    private UnixAttributes current(CompoundContext context) throws IOException {
        Inode inode = context.current();
        UnixAttributes found = context.currentAttributes();
        return found != null ? found : tree.attributes(inode);
    }

    /**
     * The present attributes. If attributes are needed that another client's write delegation covers, they are made
     * current first, or the operation fails.
     */
    private UnixAttributes current(CompoundContext context, AttributeMask needed) throws IOException {
        if (!needed.and(DELEGATED).isEmpty()) {
            delegations.requireCurrent(context.client(), context.current());
        }
        return current(context);
    }

    private Status getAttributes(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        AttributeMask request = GetAttr.decodeArgs(in).request();
        UnixAttributes attributes = current(context, request);
        return context.here(
                mapper.isReady(request, attributes), () -> getAttributes(context, request, attributes, out));
    }

    private Status getAttributes(
            CompoundContext context, AttributeMask request, UnixAttributes attributes, XdrWriter out)
            throws IOException {
        AttributeMapper.Selected selected = mapper.read(request, context.current(), attributes);
        GetAttr.encodeResult(out, selected.mask(), selected);
        return NFS4_OK;
    }

    private Status setAttributes(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        SetAttr.Args args = SetAttr.decodeArgs(in);
        return context.here(mapper.isReady(args.attributes()), () -> setAttributes(context, args, out));
    }

    private Status setAttributes(CompoundContext context, SetAttr.Args args, XdrWriter out) throws IOException {
        Inode inode = context.current();
        changes.requireWritable();
        AttributeSettings settings = mapper.settings(args.attributes());
        StateId stateId = context.resolve(args.stateId());
        context.changed();
        AttributeProgress progress = new AttributeProgress();
        Status status = set(context, inode, stateId, settings, progress);
        // RFC 8881 section 18.30.3: the reply names the attributes that were set, also if others failed
        AttributeMask set = progress.set().and(args.attributes().mask());
        context.persistBeforeReply(() -> {}, inode);
        SetAttr.encodeResult(out, new SetAttr.Result(status, set));
        return status;
    }

    /** Sets as many attributes as possible. Throws if none was set. */
    private Status set(
            CompoundContext context,
            Inode inode,
            StateId stateId,
            AttributeSettings settings,
            AttributeProgress progress)
            throws IOException {
        try {
            delegations.changing(context.client(), inode, () -> setAll(context, inode, stateId, settings, progress));
            return NFS4_OK;
        } catch (IOException e) {
            if (progress.set().isEmpty()) {
                throw e;
            }
            LOG.debug("SETATTR has set only some of the attributes: {}", progress.set(), e);
            return IoErrors.status(e);
        }
    }

    private void setAll(
            CompoundContext context,
            Inode inode,
            StateId stateId,
            AttributeSettings settings,
            AttributeProgress progress)
            throws IOException {
        if (settings.size() != null) {
            files.setSize(context, stateId, inode, settings.size());
            progress.done(Attribute.SIZE);
        }
        if (!settings.withoutSize().isEmpty()) {
            changes.setAttributes(inode, settings.withoutSize(), context.caller(), progress);
        }
    }

    private Status access(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        int asked = Access.decodeArgs(in).access();
        UnixAttributes attributes = current(context);
        int allowed = context.caller().allowed(attributes);
        int granted = 0;
        if ((allowed & Caller.READ) != 0) {
            granted |= Access.READ;
        }
        if ((allowed & Caller.WRITE) != 0 && !readOnly) {
            granted |= Access.MODIFY | Access.EXTEND | (attributes.isDirectory() ? Access.DELETE : 0);
        }
        if ((allowed & Caller.EXECUTE) != 0) {
            granted |= attributes.isDirectory() ? Access.LOOKUP : Access.EXECUTE;
        }
        int supported = Access.READ
                | Access.MODIFY
                | Access.EXTEND
                | (attributes.isDirectory() ? Access.LOOKUP | Access.DELETE : Access.EXECUTE);
        Access.encodeResult(out, new Access.Result(asked & supported, asked & granted));
        return NFS4_OK;
    }

    private Status verify(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Attributes expected = Verify.decodeArgs(in).attributes();
        UnixAttributes present = current(context, expected.mask());
        return context.here(mapper.isReady(expected.mask(), present), () -> {
            if (!mapper.isSame(expected, context.current(), present)) {
                throw new NfsError(NFS4ERR_NOT_SAME);
            }
            Verify.encodeResult(out);
            return NFS4_OK;
        });
    }

    private Status verifyNot(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Attributes expected = NVerify.decodeArgs(in).attributes();
        UnixAttributes present = current(context, expected.mask());
        return context.here(mapper.isReady(expected.mask(), present), () -> {
            if (mapper.isSame(expected, context.current(), present)) {
                throw new NfsError(NFS4ERR_SAME);
            }
            NVerify.encodeResult(out);
            return NFS4_OK;
        });
    }

    private Status readLink(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        ReadLink.encodeResult(out, new ReadLink.Result(tree.readLink(context.current())));
        context.changed();
        return NFS4_OK;
    }
}
