package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** {@code open_delegation4}: what OPEN delegates to the client (RFC 8881 section 18.16.2). */
public sealed interface OpenDelegation {
    /** {@code OPEN_DELEGATE_NONE} of {@code open_delegation_type4}. */
    int NONE = 0;

    /** {@code OPEN_DELEGATE_READ}. */
    int READ = 1;

    /** {@code OPEN_DELEGATE_WRITE}. */
    int WRITE = 2;

    /** {@code OPEN_DELEGATE_NONE}. */
    record None() implements OpenDelegation {}

    /**
     * {@code OPEN_DELEGATE_READ}.
     *
     * @param stateId the delegation
     * @param recall whether it has been recalled already
     * @param permissions who may open the file without asking the server
     */
    record ForReading(StateId stateId, boolean recall, AccessControlEntry permissions) implements OpenDelegation {}

    /**
     * {@code OPEN_DELEGATE_WRITE}.
     *
     * @param stateId the delegation
     * @param recall whether it has been recalled already
     * @param limit how far the file may grow
     * @param permissions who may open the file without asking the server
     */
    record ForWriting(StateId stateId, boolean recall, SpaceLimit limit, AccessControlEntry permissions)
            implements OpenDelegation {}

    /**
     * {@code OPEN_DELEGATE_NONE_EXT}: none, and why.
     *
     * @param why {@code why_no_delegation4}
     * @param willSignal whether the server will tell when it can be had; meaningful where {@code why} is 1 (contention)
     *     or 2 (resource)
     */
    record NoneExtended(int why, boolean willSignal) implements OpenDelegation {
        public static final int NOT_WANTED = 0;
        public static final int CONTENTION = 1;
        public static final int RESOURCE = 2;
        public static final int NOT_SUPPORTED = 3;
        public static final int NO_UPGRADE = 5;
        public static final int NO_DOWNGRADE = 6;
        public static final int CANCELLED = 7;

        private boolean tellsSignal() {
            return why == CONTENTION || why == RESOURCE;
        }
    }

    /**
     * {@code nfs_space_limit4}.
     *
     * @param inBlocks whether it is told in blocks
     * @param first the file's size in octets, or the number of blocks
     * @param bytesPerBlock octets a block, 0 where told in octets
     */
    record SpaceLimit(boolean inBlocks, long first, int bytesPerBlock) {
        void encode(XdrWriter out) {
            if (inBlocks) {
                out.putInt(2).putInt((int) first).putInt(bytesPerBlock);
            } else {
                out.putInt(1).putLong(first);
            }
        }

        static SpaceLimit decode(XdrReader in) throws XdrException {
            int limitBy = in.getInt();
            return switch (limitBy) {
                case 1 -> new SpaceLimit(false, in.getLong(), 0);
                case 2 -> new SpaceLimit(true, in.getUnsignedInt(), in.getInt());
                default -> throw new XdrException("limit_by4 " + limitBy, in.position() - 4);
            };
        }
    }

    default void encode(XdrWriter out) {
        if (this instanceof None) {
            out.putInt(NONE);
        } else if (this instanceof ForReading read) {
            read.stateId.encode(out.putInt(READ));
            read.permissions.encode(out.putBoolean(read.recall));
        } else if (this instanceof ForWriting write) {
            write.stateId.encode(out.putInt(WRITE));
            write.limit.encode(out.putBoolean(write.recall));
            write.permissions.encode(out);
        } else if (this instanceof NoneExtended none) {
            out.putInt(3).putInt(none.why);
            if (none.tellsSignal()) {
                out.putBoolean(none.willSignal);
            }
        }
    }

    static OpenDelegation decode(XdrReader in) throws XdrException {
        return switch (Codec.enumeration(in, 3, "open_delegation_type4")) {
            case NONE -> new None();
            case READ -> new ForReading(StateId.decode(in), in.getBoolean(), AccessControlEntry.decode(in));
            case WRITE ->
                new ForWriting(
                        StateId.decode(in), in.getBoolean(), SpaceLimit.decode(in), AccessControlEntry.decode(in));
            default -> decodeNone(in);
        };
    }

    private static NoneExtended decodeNone(XdrReader in) throws XdrException {
        NoneExtended none = new NoneExtended(in.getInt(), false);
        return none.tellsSignal() ? new NoneExtended(none.why, in.getBoolean()) : none;
    }
}
