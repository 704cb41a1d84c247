package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.TestStateId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
    private final Map<FileHandle, Set<OpenState>> byHandle = new ConcurrentHashMap<>();
    private final AtomicLong nextTestNanos = new AtomicLong(System.nanoTime());
    private volatile Requester requester;
    private volatile Delegations delegations;

    /** The two need one another. */
    void attach(Delegations held) {
        delegations = held;
    }

    void add(OpenState state) {
        states.add(state);
        byHandle.compute(state.handle(), (handle, opens) -> {
            Set<OpenState> all = opens == null ? ConcurrentHashMap.newKeySet() : opens;
            all.add(state);
            return all;
        });
    }

    void remove(OpenState state) {
        states.remove(state);
        byHandle.computeIfPresent(state.handle(), (handle, opens) -> {
            opens.remove(state);
            return opens.isEmpty() ? null : opens;
        });
    }

    /** Those of one file. */
    List<OpenState> of(FileHandle handle) {
        return List.copyOf(byHandle.getOrDefault(handle, Set.of()));
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
        delegations.forgetIdle();
        for (OpenState state : widestFirst()) {
            try {
                state.reclaim(session, clientId);
            } catch (StatusException e) {
                if (saysNothingOfTheFile(e)) {
                    throw e;
                }
                LOG.info("{} could not be claimed back ({}), to be opened anew", state.path(), e.status());
                state.notReclaimed(clientId, e.status());
            }
        }
        delegations.forgetUnclaimed(clientId);
        try {
            Blocking.await(by.call(new Complete(), session));
        } catch (StatusException e) {
            if (e.status() != Status.NFS4ERR_COMPLETE_ALREADY) {
                throw e;
            }
        }
    }

    /** The first open of a file claims its delegation, and some servers make it no wider than that open. */
    private List<OpenState> widestFirst() {
        return states.stream()
                .sorted(Comparator.comparingInt(OpenState::shareAccess).reversed())
                .toList();
    }

    /** Whether it was the session that failed, or the server that had no time: to be tried again. */
    private static boolean saysNothingOfTheFile(StatusException e) {
        return e.opcode() == Opcode.SEQUENCE
                || e.status() == Status.NFS4ERR_DELAY
                || e.status() == Status.NFS4ERR_GRACE;
    }

    /** A stateid of which the server may have revoked what it stands for, and what to do then. */
    private record Suspect(StateId stateId, Runnable whenRevoked) {}

    /** The server says that it has revoked something: finds out what, and opens it anew. Must not block. */
    void suspect() {
        Requester by = requester;
        long now = System.nanoTime();
        long next = nextTestNanos.get();
        // the server says so in each reply until all is freed: once in a while is enough
        boolean due = next - now <= 0 && nextTestNanos.compareAndSet(next, now + TEST_INTERVAL_NANOS);
        if (by == null || !due) {
            return;
        }
        List<Suspect> tested = suspects(by);
        if (tested.isEmpty()) {
            return;
        }
        List<StateId> ids = tested.stream().map(Suspect::stateId).toList();
        Futures.whenDone(by.call(new TestRequest(ids)), (statuses, thrown) -> {
            if (thrown == null) {
                for (int i = 0; i < Math.min(ids.size(), statuses.size()); i++) {
                    if (!statuses.get(i).isOk()) {
                        tested.get(i).whenRevoked.run();
                    }
                }
            }
        });
    }

    private List<Suspect> suspects(Requester by) {
        List<Suspect> suspects = new ArrayList<>();
        for (Delegation delegation : delegations.suspects(MAX_TESTED / 2)) {
            suspects.add(new Suspect(delegation.stateId(), () -> delegations.lost(delegation)));
        }
        for (OpenState state : states) {
            StateId id = state.openStateId();
            if (id != null && !state.isClosed() && suspects.size() < MAX_TESTED) {
                suspects.add(new Suspect(id, () -> reopen(by, state, id)));
            }
        }
        return suspects;
    }

    private static void reopen(Requester by, OpenState state, StateId revoked) {
        if (state.isClosed()) {
            return; // meanwhile, and that is why the server does not know it
        }
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

    /** FREE_STATEID. */
    static final class FreeRequest extends Request<Void> {
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
