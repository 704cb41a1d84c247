package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/** CB_SEQUENCE: the first operation of every CB_COMPOUND, which makes it happen once (RFC 8881 section 20.9). */
public final class CbSequence {
    private static final int MAX_LISTS = 256;
    private static final int MAX_CALLS = 1024;

    private CbSequence() {}

    /**
     * {@code referring_call4}: a request of the client's that the callback has to do with.
     *
     * @param sequenceId its sequence number in the slot, unsigned
     * @param slotId its slot
     */
    public record ReferringCall(int sequenceId, int slotId) {}

    /**
     * {@code referring_call_list4}: requests of one session. A client that waits for the reply to one of them learns
     * from it what the callback is about (section 2.10.6.3).
     *
     * @param sessionId the session
     * @param calls its requests
     */
    public record ReferringCallList(SessionId sessionId, List<ReferringCall> calls) {
        /** {@code sessionid4} and the count of calls. */
        private static final int MIN_LENGTH = 20;

        public ReferringCallList {
            calls = List.copyOf(calls);
        }

        private void encode(XdrWriter out) {
            sessionId.encode(out);
            out.putInt(calls.size());
            calls.forEach(call -> out.putInt(call.sequenceId).putInt(call.slotId));
        }

        private static ReferringCallList decode(XdrReader in) throws XdrException {
            SessionId sessionId = SessionId.decode(in);
            int count = in.getCount(MAX_CALLS, 8);
            List<ReferringCall> calls = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                calls.add(new ReferringCall(in.getInt(), in.getInt()));
            }
            return new ReferringCallList(sessionId, calls);
        }
    }

    /**
     * The arguments.
     *
     * @param sessionId the session
     * @param sequenceId one more than the slot's last, unsigned
     * @param slotId the slot, of the back channel's table
     * @param highestSlotId the highest slot that the server has a callback in
     * @param cacheThis whether the reply shall be kept in the reply cache
     * @param referringCalls what the callback has to do with
     */
    public record Args(
            SessionId sessionId,
            int sequenceId,
            int slotId,
            int highestSlotId,
            boolean cacheThis,
            List<ReferringCallList> referringCalls) {
        public Args {
            referringCalls = List.copyOf(referringCalls);
        }
    }

    /**
     * The results.
     *
     * @param sessionId as in the request
     * @param sequenceId as in the request
     * @param slotId as in the request
     * @param highestSlotId the highest slot that the client accepts
     * @param targetHighestSlotId the highest slot that the client wishes the server to use
     */
    public record Result(SessionId sessionId, int sequenceId, int slotId, int highestSlotId, int targetHighestSlotId) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CB_SEQUENCE);
        args.sessionId.encode(out);
        out.putInt(args.sequenceId);
        out.putInt(args.slotId);
        out.putInt(args.highestSlotId);
        out.putBoolean(args.cacheThis);
        out.putInt(args.referringCalls.size());
        args.referringCalls.forEach(list -> list.encode(out));
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(
                SessionId.decode(in), in.getInt(), in.getInt(), in.getInt(), in.getBoolean(), decodeReferringCalls(in));
    }

    private static List<ReferringCallList> decodeReferringCalls(XdrReader in) throws XdrException {
        int count = in.getCount(MAX_LISTS, ReferringCallList.MIN_LENGTH);
        List<ReferringCallList> lists = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            lists.add(ReferringCallList.decode(in));
        }
        return lists;
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.CB_SEQUENCE);
        result.sessionId.encode(out);
        out.putInt(result.sequenceId);
        out.putInt(result.slotId);
        out.putInt(result.highestSlotId);
        out.putInt(result.targetHighestSlotId);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(SessionId.decode(in), in.getInt(), in.getInt(), in.getInt(), in.getInt());
    }
}
