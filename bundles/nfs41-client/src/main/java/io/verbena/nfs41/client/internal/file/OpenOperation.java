package io.verbena.nfs41.client.internal.file;

import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.names.PathOperation;
import java.io.IOException;

/**
 * OPEN of a name. Where a delegation is asked for, GETATTR fetches the attributes that the delegation makes certain.
 */
final class OpenOperation implements PathOperation<OpenOperation.Found> {
    private final OpenModes modes;
    private final Opaque owner;
    private final OpenHow how;
    private final boolean delegation;

    /**
     * @param delegation whether the server may delegate the file
     */
    OpenOperation(OpenModes modes, Opaque owner, OpenHow how, boolean delegation) {
        this.modes = modes;
        this.owner = owner;
        this.how = how;
        this.delegation = delegation;
    }

    /**
     * The results of OPEN.
     *
     * @param flags bits of {@code Open.RESULT_}
     * @param attributes null where they were not asked for, or GETATTR failed
     */
    record Found(FileHandle handle, StateId stateId, int flags, OpenDelegation delegation, Attributes attributes) {}

    @Override
    public void encode(CompoundWriter operations, String name) {
        int access = modes.access() | (delegation ? Open.WANT_NO_PREFERENCE : Open.WANT_NO_DELEGATION);
        Open.Args args =
                new Open.Args(0, access, Open.SHARE_DENY_NONE, new StateOwner(0, owner), how, new OpenClaim.Null(name));
        Open.encodeArgs(operations.next(), args);
        GetFh.encodeArgs(operations.next());
        if (delegation) {
            operations.getAttr(FileAttributesCodec.WANTED);
        }
    }

    @Override
    public Status withoutName() {
        return Status.NFS4ERR_ISDIR;
    }

    @Override
    public Found decode(Results results) throws IOException {
        Open.Result opened = Open.decodeResult(results.next(Opcode.OPEN));
        FileHandle handle = results.getFh();
        Attributes attributes = null;
        if (delegation) {
            // the file is open all the same
            Status status = results.status(Opcode.GETATTR);
            attributes = status.isOk() ? GetAttr.decodeResult(results.body()).attributes() : null;
        }
        return new Found(handle, opened.stateId(), opened.flags(), opened.delegation(), attributes);
    }

    @Override
    public boolean isCached() {
        return true;
    }
}
