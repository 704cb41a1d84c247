package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.*;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ChangeInfo;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.state.OpenRoom;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.FoundObject;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import java.io.IOException;

/** Finds or creates the files that OPEN opens (RFC 8881 section 18.16). */
final class OpenTargets {
    private static final AttributeSettings EXCLUSIVE_MODE = AttributeSettings.NONE.withMode(0600);

    private final ExportTree tree;
    private final TreeChanges changes;
    private final AttributeMapper mapper;
    private final ExclusiveCreates exclusives;

    OpenTargets(ExportTree tree, TreeChanges changes, AttributeMapper mapper, ExclusiveCreates exclusives) {
        this.tree = tree;
        this.changes = changes;
        this.mapper = mapper;
        this.exclusives = exclusives;
    }

    /** Whether {@link #find} does not wait for the names of owners. */
    boolean isReady(OpenHow how) {
        return mapper.isReady(attributes(how));
    }

    /**
     * The file to open.
     *
     * @param change how the directory has changed; both numbers are equal if it has not
     * @param isNew whether this OPEN has created the file
     * @param attributesSet the attributes that were set when the file was created
     */
    record Target(FoundObject file, ChangeInfo change, boolean isNew, AttributeMask attributesSet) {}

    /**
     * @param room taken before a file is made
     * @throws NfsError {@code NOTSUPP} for a delegation from before the client's restart: the server keeps none that
     *     long; what {@link OpenRoom#take} throws
     */
    Target find(CompoundContext context, Open.Args args, OpenRoom room) throws IOException {
        OpenClaim claim = args.claim();
        boolean creates = !(args.how() instanceof OpenHow.NoCreate);
        if (claim instanceof OpenClaim.Null name) {
            return creates
                    ? create(context, name.file(), args.how(), room)
                    : existing(context, tree.lookup(context.current(), name.file(), context.caller()));
        }
        if (claim instanceof OpenClaim.DelegatePrevious || claim instanceof OpenClaim.DelegatePreviousByHandle) {
            throw new NfsError(NFS4ERR_NOTSUPP);
        }
        if (creates) {
            throw new NfsError(NFS4ERR_INVAL);
        }
        if (claim instanceof OpenClaim.DelegateCurrent name) {
            return existing(context, tree.lookup(context.current(), name.file(), context.caller()));
        }
        Inode inode = context.current();
        FoundObject found = new FoundObject(inode, tree.attributes(inode));
        return new Target(found, new ChangeInfo(false, 0, 0), false, AttributeMask.EMPTY);
    }

    private Target existing(CompoundContext context, FoundObject found) throws IOException {
        Inode directory = context.current();
        long change = ExportTree.change(directory, tree.attributes(directory));
        return new Target(found, new ChangeInfo(false, change, change), false, AttributeMask.EMPTY);
    }

    private Target create(CompoundContext context, String name, OpenHow how, OpenRoom room) throws IOException {
        try {
            room.take();
        } catch (NfsError e) {
            if (how instanceof OpenHow.Unchecked) {
                return createdBefore(context, name, how, null, e); // which its owner may have open
            }
            throw e;
        }
        Attributes attributes = attributes(how);
        AttributeSettings settings = how instanceof OpenHow.Exclusive ? EXCLUSIVE_MODE : mapper.settings(attributes);
        Long verifier = verifier(how);
        Inode directory = context.current();
        try {
            TreeChanges.Changed made = changes.createFile(directory, name, settings, context.caller());
            if (verifier != null) {
                exclusives.made(made.object().inode(), verifier);
            }
            FoundObject file = made.object();
            return new Target(file, made.change(), true, mapper.honoured(attributes, file.attributes()));
        } catch (IOException e) {
            Status status = IoErrors.status(e);
            boolean mayExist = status == NFS4ERR_EXIST || (status == NFS4ERR_ROFS && how instanceof OpenHow.Unchecked);
            if (!mayExist) {
                throw e;
            }
            return createdBefore(context, name, how, verifier, e);
        }
    }

    /**
     * Opens a file that exists already: any file for UNCHECKED4; for the exclusive modes only the file that the same
     * request has created.
     */
    private Target createdBefore(CompoundContext context, String name, OpenHow how, Long verifier, IOException failure)
            throws IOException {
        FoundObject found;
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
            AttributeMask set = mapper.honoured(attributes(how), found.attributes());
            return new Target(found, target.change, true, set);
        }
        throw failure;
    }

    /** Whether OPEN makes a file where there is none. */
    static boolean creates(Open.Args args) {
        return !(args.how() instanceof OpenHow.NoCreate) && args.claim() instanceof OpenClaim.Null;
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

    /** Whether OPEN truncates an existing file to size 0. */
    static boolean truncates(OpenHow how) {
        Long size = attributes(how).get(Attribute.SIZE);
        return how instanceof OpenHow.Unchecked && size != null && size == 0;
    }
}
