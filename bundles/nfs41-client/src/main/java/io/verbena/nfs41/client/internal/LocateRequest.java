package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.PutRootFh;
import java.io.IOException;
import java.util.List;

/** GETATTR of fs_locations: a server answers it for a file system that is not there too (RFC 8881 section 11.4.1). */
final class LocateRequest extends Request<FsLocations> {
    private static final AttributeMask WANTED = AttributeMask.of(Attribute.FS_LOCATIONS);
    private static final int MAX_REPLY = 16_384;

    private final FileHandle handle;
    private final List<String> steps;

    private LocateRequest(FileHandle handle, List<String> steps) {
        this.handle = handle;
        this.steps = List.copyOf(steps);
    }

    static LocateRequest of(FileHandle handle) {
        return new LocateRequest(handle, List.of());
    }

    /**
     * @param steps from the server's root, {@code ..} among them
     */
    static LocateRequest of(List<String> steps) {
        return new LocateRequest(null, steps);
    }

    @Override
    void encode(Operations operations) {
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

    /** Null where the server does not tell. */
    @Override
    FsLocations decode(Results results) throws IOException {
        results.next(handle == null ? Opcode.PUTROOTFH : Opcode.PUTFH);
        for (String step : steps) {
            results.next(PathSteps.isUp(step) ? Opcode.LOOKUPP : Opcode.LOOKUP);
        }
        return results.getAttr().get(Attribute.FS_LOCATIONS);
    }

    @Override
    int maxReplySize() {
        return MAX_REPLY;
    }
}
