package io.verbena.nfs41.client.internal.testing;

import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.SessionId;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrWriter;
import java.util.HashMap;
import java.util.Map;

/** The slots of a {@link FakeServer}: what the next number is, and what was answered last. */
final class FakeReplies {
    private final FakeServer server;
    private final Map<Integer, Integer> lastSequence = new HashMap<>();
    private final Map<Integer, byte[]> replies = new HashMap<>();
    private SessionId replySession;

    FakeReplies(FakeServer server) {
        this.server = server;
        this.replySession = server.session;
    }

    /**
     * Executes SEQUENCE.
     *
     * @param fails what it is to fail with, or null
     * @return null where the request is a repetition
     */
    Status sequence(Sequence.Args args, XdrWriter out, Status fails) {
        Status failure = fails;
        if (failure == null && !args.sessionId().equals(server.session)) {
            failure = Status.NFS4ERR_BADSESSION;
        }
        if (!args.sessionId().equals(replySession)) {
            replySession = args.sessionId();
            lastSequence.clear();
        }
        int last = lastSequence.getOrDefault(args.slotId(), 0);
        if (failure == null && args.sequenceId() == last) {
            return null;
        }
        if (failure == null && args.sequenceId() != last + 1) {
            failure = Status.NFS4ERR_SEQ_MISORDERED;
        }
        if (failure != null) {
            Compound.encodeFailure(out, Opcode.SEQUENCE, failure);
            return failure;
        }
        lastSequence.put(args.slotId(), args.sequenceId());
        server.onSequence.run();
        Sequence.encodeResult(
                out,
                new Sequence.Result(
                        server.session,
                        args.sequenceId(),
                        args.slotId() + server.wrongSlot,
                        FakeServer.SLOTS - 1,
                        server.targetSlot,
                        server.statusFlags));
        return Status.NFS4_OK;
    }

    /** The reply of before, or as much of it as is kept of a request that was not to be cached. */
    void repeat(Sequence.Args sequence, int nextOpcode, XdrWriter out) {
        if (sequence.cacheThis()) {
            out.putFixedOpaque(replies.get(sequence.slotId()));
            return;
        }
        int at = Compound.encodeResult(out, "");
        Sequence.encodeResult(
                out,
                new Sequence.Result(
                        server.session,
                        sequence.sequenceId(),
                        sequence.slotId(),
                        FakeServer.SLOTS - 1,
                        FakeServer.SLOTS - 1,
                        0));
        if (nextOpcode == Opcode.ILLEGAL) {
            Compound.finishResult(out, at, "", Status.NFS4_OK, 1);
        } else {
            Compound.encodeFailure(out, nextOpcode, Status.NFS4ERR_RETRY_UNCACHED_REP);
            Compound.finishResult(out, at, "", Status.NFS4ERR_RETRY_UNCACHED_REP, 2);
        }
    }

    /** The slot's last reply, in case that it is asked for again. */
    void keep(int slot, byte[] reply) {
        replies.put(slot, reply);
    }
}
