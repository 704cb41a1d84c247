package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files that are open, for when the server forgets them. */
final class OpenStates {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStates.class);
    private static final int MAX_TESTED = 256;
    private static final long TEST_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Set<OpenState> states = ConcurrentHashMap.newKeySet();
    private final AtomicLong nextTestNanos = new AtomicLong(System.nanoTime());
    private volatile Requester requester;

    void add(OpenState state) {
        states.add(state);
    }

    void remove(OpenState state) {
        states.remove(state);
    }

    int size() {
        return states.size();
    }

    /**
     * A new client id holds nothing: what was open is claimed as before the server's restart, and that no more will be
     * claimed is told (RFC 8881 section 8.4.2.1). What cannot be claimed is opened anew when it is used next. Blocks.
     *
     * @param registered whether the client id is new
     */
    void reclaim(Requester by, Session session, long clientId, boolean registered) throws IOException {
        requester = by;
        if (!registered) {
            return;
        }
        for (OpenState state : states) {
            try {
                state.reclaim(session, clientId);
            } catch (StatusException e) {
                if (saysNothingOfTheFile(e)) {
                    throw e;
                }
                LOG.info("{} could not be claimed back ({}), to be opened anew", state.path(), e.status());
                state.locks().lose("the server restarted and did not give it back");
            }
        }
        try {
            Blocking.await(by.call(new Complete(), session));
        } catch (StatusException e) {
            if (e.status() != Status.NFS4ERR_COMPLETE_ALREADY) {
                throw e;
            }
        }
    }

    /** Whether it was the session that failed, or the server that had no time: to be tried again. */
    private static boolean saysNothingOfTheFile(StatusException e) {
        return e.opcode() == Opcode.SEQUENCE
                || e.status() == Status.NFS4ERR_DELAY
                || e.status() == Status.NFS4ERR_GRACE;
    }

    /** The server says that it has revoked something: finds out what, and opens it anew. Must not block. */
    void suspect() {
        List<OpenState> tested = states.stream().limit(MAX_TESTED).toList();
        Requester by = requester;
        long now = System.nanoTime();
        long next = nextTestNanos.get();
        // the server says so in each reply until all is freed: once in a while is enough
        boolean due = next - now <= 0 && nextTestNanos.compareAndSet(next, now + TEST_INTERVAL_NANOS);
        if (tested.isEmpty() || by == null || !due) {
            return;
        }
        List<StateId> ids = tested.stream().map(OpenState::openStateId).toList();
        Futures.whenDone(by.call(new TestRequest(ids)), (statuses, thrown) -> {
            if (thrown == null) {
                for (int i = 0; i < Math.min(ids.size(), statuses.size()); i++) {
                    if (!statuses.get(i).isOk()) {
                        reopen(by, tested.get(i), ids.get(i));
                    }
                }
            }
        });
    }

    private static void reopen(Requester by, OpenState state, StateId revoked) {
        LOG.info("{} was revoked by the server, opening it anew", state.path());
        // a revoked state that the server has freed already is no reason not to open anew
        var unused = by.call(new FreeRequest(revoked))
                .exceptionally(thrown -> null)
                .thenCompose(freed -> state.reopen(revoked))
                .exceptionally(thrown -> {
                    LOG.debug("{}: {}", state.path(), thrown.getMessage());
                    return null;
                });
    }

    private static final class Complete extends Request<Void> {
        @Override
        void encode(Operations operations) {
            ReclaimComplete.encodeArgs(operations.next(), new ReclaimComplete.Args(false));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.RECLAIM_COMPLETE);
            return null;
        }
    }

    private static final class TestRequest extends Request<List<Status>> {
        private final List<StateId> ids;

        TestRequest(List<StateId> ids) {
            this.ids = ids;
        }

        @Override
        void encode(Operations operations) {
            TestStateId.encodeArgs(operations.next(), new TestStateId.Args(ids));
        }

        @Override
        List<Status> decode(Results results) throws IOException {
            return TestStateId.decodeResult(results.next(Opcode.TEST_STATEID)).statuses();
        }
    }

    private static final class FreeRequest extends Request<Void> {
        private final StateId stateId;

        FreeRequest(StateId stateId) {
            this.stateId = stateId;
        }

        @Override
        void encode(Operations operations) {
            FreeStateId.encodeArgs(operations.next(), new FreeStateId.Args(stateId));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.FREE_STATEID);
            return null;
        }
    }
}
