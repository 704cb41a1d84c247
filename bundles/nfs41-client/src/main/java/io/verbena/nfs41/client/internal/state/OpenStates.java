package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.session.ClientState;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The open files of a mount, and the checks for revoked state. Thread safe. */
public final class OpenStates implements ClientState {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStates.class);

    private final Set<OpenState> states = ConcurrentHashMap.newKeySet();
    private final Map<FileHandle, Set<OpenState>> byHandle = new ConcurrentHashMap<>();
    private final RevocationCheck revocations;
    private volatile Function<FileHandle, CompletableFuture<Void>> lastClosed =
            handle -> CompletableFuture.completedFuture(null);
    private volatile Runnable forgotten = () -> {};
    private volatile CompoundCaller caller;
    private volatile Delegations delegations;

    public OpenStates(Runtime runtime) {
        this.revocations = new RevocationCheck(this::suspects, runtime);
    }

    /** Sets the delegations; called once. The two objects need one another. */
    public void attach(Delegations held) {
        delegations = held;
    }

    /**
     * Sets the action for a file whose last open is closed. The file counts as closed when the action has ended; it
     * must not fail.
     */
    public void whenLastClosed(Function<FileHandle, CompletableFuture<Void>> action) {
        lastClosed = action;
    }

    /**
     * Sets the action for a server that has lost the state of this client, as by a restart. It runs before the first
     * claim.
     */
    public void whenForgotten(Runnable action) {
        forgotten = action;
    }

    public void add(OpenState state) {
        state.whenClosed(() -> remove(state));
        states.add(state);
        byHandle.compute(state.handle(), (handle, opens) -> {
            Set<OpenState> all = opens == null ? ConcurrentHashMap.newKeySet() : opens;
            all.add(state);
            return all;
        });
    }

    /** Removes an open. Without effect the second time. The future does not fail. */
    public CompletableFuture<Void> remove(OpenState state) {
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
    public boolean hasUnpreserved() {
        return states.stream().anyMatch(state -> !state.preservesUnlinked());
    }

    /** Those of one file. */
    public List<OpenState> of(FileHandle handle) {
        return List.copyOf(byHandle.getOrDefault(handle, Set.of()));
    }

    public int size() {
        return states.size();
    }

    /** See {@link StateReclaim#reclaim}. Blocks. */
    @Override
    public void reclaim(CompoundCaller by, Session session, long clientId, boolean registered) throws IOException {
        caller = by;
        if (registered) {
            forgotten.run();
            new StateReclaim(by, session, clientId, delegations).reclaim(states);
        }
    }

    /** The server reports revoked state: finds out which, and opens the files again. Must not block. */
    @Override
    public void suspect() {
        CompoundCaller by = caller;
        if (by != null) {
            revocations.begin(by);
        }
    }

    /**
     * All states that the server knows. The locks of an open come before the open, so that their loss is told first.
     */
    private List<RevocationCheck.Suspect> suspects() {
        CompoundCaller by = caller;
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

    /** The server has revoked the locks of an open. The open itself may still be valid. */
    private static void loseLocks(CompoundCaller by, OpenState state, StateId revoked) {
        StateId present = state.locks().stateId();
        if (present == null || !present.isSameState(revoked) || state.isClosed()) {
            return; // released meanwhile: that is why the server does not know it
        }
        LOG.info("the server has revoked the locks on {}", state.path());
        state.locks().lose("the server revoked it");
        // a failure does not matter: the server may have freed it already
        var unused = by.call(new FreeStateIdRequest(revoked));
    }

    private static void reopen(CompoundCaller by, OpenState state, StateId revoked) {
        if (state.isClosed()) {
            return; // closed meanwhile: that is why the server does not know it
        }
        LOG.info("{} was revoked by the server, opening it anew", state.path());
        // opened again also where the server has freed the revoked state already
        CompletableFuture<Void> reopened = by.call(new FreeStateIdRequest(revoked))
                .exceptionally(thrown -> null)
                .thenCompose(freed -> state.reopen(revoked));
        Futures.whenDoneLogged(reopened, (done, thrown) -> {
            if (thrown != null) {
                LOG.debug("{}: {}", state.path(), thrown.toString());
            }
        });
    }
}
