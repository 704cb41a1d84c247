package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.xdr.XdrReader;
import java.io.IOException;

/** Decodes the replies to one request, one for each time that the request is sent. */
final class Reply<T> implements ReplyDecoder<Void> {
    private final CompoundCaller caller;
    private final CompoundRequest<T> request;
    private final Results results = new Results();
    private Session session;
    private Slot slot;
    private long sentNanos;
    private Status sequenceStatus;
    private StatusException failure;
    private T value;
    private long octets;

    Reply(CompoundCaller caller, CompoundRequest<T> request) {
        this.caller = caller;
        this.request = request;
    }

    /** Prepares for the reply to the next sending of the request. */
    void expect(Session by, Slot in) {
        session = by;
        slot = in;
        sequenceStatus = null;
        failure = null;
        value = null;
        octets = 0;
        sentNanos = caller.runtime().nanoTime();
    }

    @Override
    public Void decode(XdrReader in) throws IOException {
        results.begin(in);
        Status status = results.status(Opcode.SEQUENCE);
        if (!status.isOk()) {
            sequenceStatus = status;
            return null;
        }
        Sequence.Result sequence = Sequence.decodeResult(results.body());
        if (!sequence.sessionId().equals(session.id())
                || sequence.slotId() != slot.id()
                || sequence.sequenceId() != slot.sequenceId()) {
            throw new PeerProtocolException(
                    "the server answered SEQUENCE for another request (RFC 8881 section 18.46.3)", null);
        }
        sequenceStatus = status; // only now: the answer to another request tells nothing of this sequence number
        caller.sessions().sequenced(session, sequence, sentNanos);
        try {
            value = request.decode(results);
        } catch (StatusException e) {
            failure = e;
        }
        octets = in.position();
        return null;
    }

    /** The octets of the decoded reply, data included. */
    long octets() {
        return octets;
    }

    /** The status of SEQUENCE; null where no readable reply came. */
    Status sequenceStatus() {
        return sequenceStatus;
    }

    /** The failed operation behind SEQUENCE, or null. */
    StatusException failure() {
        return failure;
    }

    T value() {
        return value;
    }
}
