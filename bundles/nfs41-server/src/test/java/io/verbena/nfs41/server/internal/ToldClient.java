package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.HandOvers;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Sequence;
import io.verbena.nfs41.Status;
import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcRequest;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * A client whose requests pass hand-overs. Each request has exactly one answer; one that is not {@code NFS4_OK} is an
 * {@link AnsweredException}, behind which the client finds the slot usable.
 */
final class ToldClient extends TestClient {
    private static final long SECONDS = 20;

    /** The Error may concern the repeated SEQUENCE itself. */
    private static final Set<String> AGAIN = Set.of("NFS4ERR_DELAY", "NFS4ERR_SERVERFAULT", "SYSTEM_ERR");

    private final NfsServer server;
    private final HandOvers handOvers;
    private final List<String> failures = new ArrayList<>();
    private int lastSequence;

    ToldClient(NfsServer server, String owner, HandOvers handOvers) {
        super(server, owner);
        this.server = server;
        this.handOvers = handOvers;
    }

    /** A request was answered with something else than success. */
    static final class AnsweredException extends IOException {
        private static final long serialVersionUID = 1L;

        AnsweredException(String answer) {
            super(answer);
        }
    }

    /** The answers of requests that have failed, in their order. */
    List<String> failures() {
        return failures;
    }

    @Override
    Op sequence(int sequence, int slot, boolean cache) {
        lastSequence = sequence;
        return super.sequence(sequence, slot, true);
    }

    @Override
    void connect(long verifier) throws Exception {
        lastSequence = 0;
        super.connect(verifier);
    }

    @Override
    XdrReader exchange(Credential as, XdrWriter arguments, long[] capacities) throws Exception {
        byte[] answer;
        try {
            answer = answer(as, arguments, capacities);
            require(Compound.decodeResult(reader(answer)).status());
        } catch (AnsweredException e) {
            failures.add(e.getMessage());
            if (session() != null) {
                freeSlot(as);
            }
            throw e;
        }
        return reader(answer);
    }

    private static XdrReader reader(byte[] octets) {
        return new XdrReader(ByteBuffer.wrap(octets));
    }

    private static void require(Status status) throws AnsweredException {
        if (!status.isOk()) {
            throw new AnsweredException(status.name());
        }
    }

    private byte[] answer(Credential as, XdrWriter arguments, long[] capacities) throws Exception {
        FakeRequest request = FakeRequest.compound(as, arguments, capacities).by(peer());
        try {
            server.handle(handOvers.through(RpcRequest.class, request));
        } catch (XdrException e) {
            request.failUnlessAnswered(AcceptStatus.GARBAGE_ARGS); // as a transport does
        } catch (Throwable e) {
            LoggerFactory.getLogger(ToldClient.class).info("handle() has thrown", e);
            request.failUnlessAnswered(AcceptStatus.SYSTEM_ERR);
        }
        XdrReader answer = request.answer().get(SECONDS, TimeUnit.SECONDS);
        if (!request.outcome().equals("SUCCESS")) {
            throw new AnsweredException(request.outcome());
        }
        return answer.getFixedOpaque(answer.remaining());
    }

    private String statusOfLastSequence(Credential as) throws Exception {
        XdrWriter arguments = new XdrWriter();
        Compound.encodeArgs(arguments, new Compound.Args("free", 1, 1));
        Sequence.encodeArgs(arguments, new Sequence.Args(session(), Math.max(1, lastSequence), 0, 7, true));
        try {
            return Compound.decodeResult(reader(answer(as, arguments, new long[0])))
                    .status()
                    .name();
        } catch (AnsweredException e) {
            return e.getMessage();
        }
    }

    /**
     * Repeats the last SEQUENCE: as a request of its own where the server has not entered the last request, else as a
     * false retry. A slot that stays busy has leaked.
     */
    private void freeSlot(Credential as) throws Exception {
        long start = System.nanoTime();
        String status;
        do {
            status = statusOfLastSequence(as);
            assertThat(System.nanoTime() - start)
                    .as("the slot is %s after %s", status, failures)
                    .isLessThan(TimeUnit.SECONDS.toNanos(SECONDS));
        } while (AGAIN.contains(status));
        assertThat(status)
                .isIn(Status.NFS4_OK.name(), Status.NFS4ERR_SEQ_FALSE_RETRY.name(), Status.NFS4ERR_BADSESSION.name());
    }
}
