package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.PeerProtocolException;
import io.verbena.rpc.ReplyDecoder;
import io.verbena.xdr.XdrReader;
import java.io.IOException;

/** Reads what the server answers to a request in a session, as often as that is sent. */
final class Reply<T> implements ReplyDecoder<Void> {
    private final Requester requester;
    private final Request<T> request;
    private final Results results = new Results();
    private Session session;
    private Slot slot;
    private long sentNanos;
    private Status sequenceStatus;
    private StatusException failure;
    private T value;
    private long octets;

    Reply(Requester requester, Request<T> request) {
        this.requester = requester;
        this.request = request;
    }

    /** The request is sent now. */
    void expect(Session by, Slot in) {
        session = by;
        slot = in;
        sequenceStatus = null;
        failure = null;
        value = null;
        octets = 0;
        sentNanos = System.nanoTime();
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
        sequenceStatus = status; // not before: what answers another request tells nothing of this one's number
        requester.sessions().sequenced(session, sequence, sentNanos);
        try {
            value = request.decode(results);
        } catch (StatusException e) {
            failure = e;
        }
        octets = in.position();
        return null;
    }

    /** Those of the answer that was read, data included. */
    long octets() {
        return octets;
    }

    /** Null where none came, or none that could be read. */
    Status sequenceStatus() {
        return sequenceStatus;
    }

    /** What failed behind SEQUENCE, or null. */
    StatusException failure() {
        return failure;
    }

    T value() {
        return value;
    }
}
