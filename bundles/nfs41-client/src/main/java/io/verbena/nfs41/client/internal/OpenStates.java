package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FreeStateId;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReclaimComplete;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files that are open, for when the server forgets them. */
final class OpenStates {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStates.class);

    private final Set<OpenState> states = ConcurrentHashMap.newKeySet();
    private final Map<FileHandle, Set<OpenState>> byHandle = new ConcurrentHashMap<>();
    private final RevocationCheck revocations = new RevocationCheck(this::suspects);
    private volatile Function<FileHandle, CompletableFuture<Void>> lastClosed =
            handle -> CompletableFuture.completedFuture(null);
    private volatile Runnable forgotten = () -> {};
    private volatile Requester requester;
    private volatile Delegations delegations;

    /** The two need one another. */
    void attach(Delegations held) {
        delegations = held;
    }

    /** Told of each file whose last open is closed, which counts as closed when that is done; does not fail. */
    void whenLastClosed(Function<FileHandle, CompletableFuture<Void>> action) {
        lastClosed = action;
    }

    /** Told when the server has forgotten this client, as by a restart; before anything is claimed. */
    void whenForgotten(Runnable action) {
        forgotten = action;
    }

    void add(OpenState state) {
        state.whenClosed(() -> remove(state));
        states.add(state);
        byHandle.compute(state.handle(), (handle, opens) -> {
            Set<OpenState> all = opens == null ? ConcurrentHashMap.newKeySet() : opens;
            all.add(state);
            return all;
        });
    }

    /** Without effect the second time. The future does not fail. */
    CompletableFuture<Void> remove(OpenState state) {
        states.remove(state);
        AtomicBoolean last = new AtomicBoolean();
        byHandle.computeIfPresent(state.handle(), (handle, opens) -> {
            boolean left = opens.remove(state);
            last.set(left && opens.isEmpty());
            return opens.isEmpty() ? null : opens;
        });
        return last.get() ? lastClosed.apply(state.handle()) : CompletableFuture.completedFuture(null);
    }

    /** Whether a file is open that the server may not preserve when it is removed. */
    boolean hasUnpreserved() {
        return states.stream().anyMatch(state -> !state.preservesUnlinked());
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
        forgotten.run();
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

    /** The server says that it has revoked something: finds out what, and opens it anew. Must not block. */
    void suspect() {
        Requester by = requester;
        if (by != null) {
            revocations.begin(by);
        }
    }

    /** All states that the server knows. What an open's locks lose is told before the open itself is made anew. */
    private List<RevocationCheck.Suspect> suspects() {
        Requester by = requester;
        List<RevocationCheck.Suspect> suspects = new ArrayList<>();
        for (Delegation delegation : delegations.suspects()) {
            suspects.add(new RevocationCheck.Suspect(delegation.stateId(), () -> delegations.lost(delegation)));
        }
        for (OpenState state : states) {
            StateId lock = state.locks().stateId();
            if (lock != null && !state.isClosed()) {
                suspects.add(new RevocationCheck.Suspect(lock, () -> loseLocks(by, state, lock)));
            }
            StateId open = state.openStateId();
            if (open != null && !state.isClosed()) {
                suspects.add(new RevocationCheck.Suspect(open, () -> reopen(by, state, open)));
            }
        }
        return suspects;
    }

    /** The open may be good still: only what its locks protected is not. */
    private static void loseLocks(Requester by, OpenState state, StateId revoked) {
        StateId present = state.locks().stateId();
        if (present == null || !present.isSameState(revoked) || state.isClosed()) {
            return; // given back meanwhile, and that is why the server does not know it
        }
        LOG.info("the server has revoked the locks on {}", state.path());
        state.locks().lose("the server revoked it");
        // one that the server has freed already needs no freeing
        var unused = by.call(new FreeRequest(revoked)).exceptionally(thrown -> null);
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
