package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/** TEST_STATEID: whether states are still good (RFC 8881 section 18.48). */
public final class TestStateId {
    private static final int MAX_STATES = 4096;

    private TestStateId() {}

    /**
     * The arguments.
     *
     * @param stateIds the states in question
     */
    public record Args(List<StateId> stateIds) {}

    /**
     * The results.
     *
     * @param statuses of each state in the arguments' order
     */
    public record Result(List<Status> statuses) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.TEST_STATEID).putInt(args.stateIds.size());
        args.stateIds.forEach(stateId -> stateId.encode(out));
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        int count = in.getCount(MAX_STATES, StateId.LENGTH);
        List<StateId> stateIds = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            stateIds.add(StateId.decode(in));
        }
        return new Args(List.copyOf(stateIds));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.TEST_STATEID).putInt(result.statuses.size());
        result.statuses.forEach(status -> status.encode(out));
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        int count = in.getCount(MAX_STATES, 4);
        List<Status> statuses = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            statuses.add(Status.decode(in));
        }
        return new Result(List.copyOf(statuses));
    }
}
