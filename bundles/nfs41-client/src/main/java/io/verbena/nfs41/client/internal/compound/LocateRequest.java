package io.verbena.nfs41.client.internal.compound;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.PutRootFh;
import io.verbena.nfs41.client.internal.util.PathSteps;
import java.io.IOException;
import java.util.List;

/** GETATTR of fs_locations. A server answers it also for an absent file system (RFC 8881 section 11.4.1). */
public final class LocateRequest extends CompoundRequest<FsLocations> {
    private static final AttributeMask WANTED = AttributeMask.of(Attribute.FS_LOCATIONS);
    private static final int MAX_REPLY = 16_384;

    private final FileHandle handle;
    private final List<String> steps;

    private LocateRequest(FileHandle handle, List<String> steps) {
        this.handle = handle;
        this.steps = List.copyOf(steps);
    }

    public static LocateRequest of(FileHandle handle) {
        return new LocateRequest(handle, List.of());
    }

    /**
     * @param steps from the server's root, {@code ..} among them
     */
    public static LocateRequest of(List<String> steps) {
        return new LocateRequest(null, steps);
    }

    @Override
    public void encode(CompoundWriter operations) {
        if (handle == null) {
            PutRootFh.encodeArgs(operations.next());
        } else {
            operations.putFh(handle);
        }
        for (String step : steps) {
            if (PathSteps.isUp(step)) {
                LookupP.encodeArgs(operations.next());
            } else {
                Lookup.encodeArgs(operations.next(), new Lookup.Args(step));
            }
        }
        operations.getAttr(WANTED);
    }

    /** The locations; null where the server does not return them. */
    @Override
    public FsLocations decode(Results results) throws IOException {
        results.next(handle == null ? Opcode.PUTROOTFH : Opcode.PUTFH);
        for (String step : steps) {
            results.next(PathSteps.isUp(step) ? Opcode.LOOKUPP : Opcode.LOOKUP);
        }
        return results.getAttr().get(Attribute.FS_LOCATIONS);
    }

    @Override
    public int maxReplySize() {
        return MAX_REPLY;
    }
}
