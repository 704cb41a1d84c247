package io.verbena.simulation.world;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Set;

/** Which messages of a client may renew its lease. */
final class Renewals {
    private static final int VERSION_TWO = 2;
    private static final int MESSAGE = 0;
    private static final int NO_MESSAGE = 1;
    private static final int CALL = 0;
    private static final int NFS_PROGRAM = 100_003;
    private static final int PROC_COMPOUND = 1;
    private static final int BIND_CONN_TO_SESSION = 41;
    private static final int CREATE_SESSION = 43;
    private static final int SEQUENCE = 53;
    private static final Set<Integer> RENEWING = Set.of(BIND_CONN_TO_SESSION, CREATE_SESSION, SEQUENCE);

    private Renewals() {}

    /**
     * Whether a message may be a request by which the server renews a lease: no reply, no EXCHANGE_ID, nothing of the
     * transport's own. A long message, which is not read here, may be one.
     */
    static boolean isPossible(byte[] message) {
        try {
            ByteBuffer in = ByteBuffer.wrap(message);
            SlotWatcher.skip(in, 1);
            int version = in.getInt();
            SlotWatcher.skip(in, 1);
            int type = in.getInt();
            if (type != MESSAGE) {
                return type == NO_MESSAGE;
            }
            if (version == VERSION_TWO) {
                SlotWatcher.skip(in, 1);
            }
            SlotWatcher.skipChunks(in);
            SlotWatcher.skip(in, 1);
            return in.getInt() == CALL && RENEWING.contains(firstOperation(in));
        } catch (BufferUnderflowException e) {
            return true;
        }
    }

    /** The number of the first operation of a call; 0 where it has none. */
    private static int firstOperation(ByteBuffer in) {
        SlotWatcher.skip(in, 1);
        int program = in.getInt();
        SlotWatcher.skip(in, 1);
        int procedure = in.getInt();
        SlotWatcher.skipOpaque(in, 1);
        SlotWatcher.skipOpaque(in, 1);
        if (program != NFS_PROGRAM || procedure != PROC_COMPOUND) {
            return 0;
        }
        SlotWatcher.skipOpaque(in, 0);
        SlotWatcher.skip(in, 1);
        return in.getInt() == 0 ? 0 : in.getInt();
    }
}
