package io.verbena.nfs41.server.internal.vfs;

import static io.verbena.nfs41.Status.NFS4ERR_BADHANDLE;

import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.util.SipHash;
import java.nio.ByteBuffer;

/**
 * File handles: an inode number, its generation, and an authenticator under the export's secret, so that only handles
 * that this export has issued are taken. They hold no path: they survive renames and restarts.
 *
 * <pre>
 *  0  format (1) and two octets of zero
 *  3  kind of generation: see {@link InodeGenerations}
 *  4  inode number
 * 12  generation
 * 20  SipHash-2-4 of octets 0 to 19 and the inode number of the exported directory
 * </pre>
 */
final class FileHandles {
    static final int LENGTH = 28;

    private static final int FORMAT = 1;
    private static final int KIND_AT = 3;
    private static final int NUMBER_AT = 4;
    private static final int GENERATION_AT = 12;
    private static final int TAG_AT = 20;

    private final SipHash authenticator;
    private final long rootNumber;

    FileHandles(SipHash authenticator, long rootNumber) {
        this.authenticator = authenticator;
        this.rootNumber = rootNumber;
    }

    /** The identity of an object in a handle. */
    record Identity(long number, long generation, int kind) {}

    byte[] encode(Identity identity) {
        byte[] handle = new byte[LENGTH];
        ByteBuffer fields = ByteBuffer.wrap(handle);
        fields.put(0, (byte) FORMAT).put(KIND_AT, (byte) identity.kind);
        fields.putLong(NUMBER_AT, identity.number).putLong(GENERATION_AT, identity.generation);
        fields.putLong(TAG_AT, tag(handle));
        return handle;
    }

    /** @throws NfsError {@code BADHANDLE} for a handle that this export has not issued */
    Identity decode(byte[] handle) throws NfsError {
        if (handle.length != LENGTH || handle[0] != FORMAT) {
            throw new NfsError(NFS4ERR_BADHANDLE);
        }
        ByteBuffer fields = ByteBuffer.wrap(handle);
        if (fields.getLong(TAG_AT) != tag(handle)) {
            throw new NfsError(NFS4ERR_BADHANDLE);
        }
        return new Identity(fields.getLong(NUMBER_AT), fields.getLong(GENERATION_AT), handle[KIND_AT]);
    }

    private long tag(byte[] handle) {
        byte[] input = new byte[TAG_AT + Long.BYTES];
        System.arraycopy(handle, 0, input, 0, TAG_AT);
        ByteBuffer.wrap(input).putLong(TAG_AT, rootNumber);
        return authenticator.hash(input);
    }
}
