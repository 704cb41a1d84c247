package io.verbena.nfs41.client.internal.state;

import io.verbena.nfs41.DelegReturn;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Returns one delegation (RFC 8881 sections 10.4.4 and 18.6): brings written data to stable storage, makes local opens
 * and locks known to the server, and sends DELEGRETURN. A failure of one step does not stop the next, since the server
 * waits and would revoke the delegation in the end.
 */
final class DelegationReturn {
    private final CompoundCaller caller;
    private final Delegation delegation;
    private final boolean truncate;
    /** The opens whose local locks the server has granted meanwhile. */
    private final Set<OpenState> locked = ConcurrentHashMap.newKeySet();

    /**
     * @param truncate whether the data that was written need not be kept
     */
    DelegationReturn(CompoundCaller caller, Delegation delegation, boolean truncate) {
        this.caller = caller;
        this.delegation = delegation;
        this.truncate = truncate;
    }

    /** Completes when the server has answered, with the first failure where there was one. */
    CompletableFuture<Void> start() {
        List<OpenState> opens = delegation.opens();
        CompletableFuture<Void> chain = writeBack(opens);
        for (OpenState open : opens) {
            chain = chain.thenCompose(done -> makeKnown(open));
        }
        return chain.thenCompose(done -> giveBack());
    }

    private CompletableFuture<Void> writeBack(List<OpenState> opens) {
        if (truncate || !delegation.isForWriting()) {
            return CompletableFuture.completedFuture(null);
        }
        // who wrote is told of a failure by his own sync
        return CompletableFuture.allOf(opens.stream().map(OpenState::writeBack).toArray(CompletableFuture[]::new))
                .exceptionally(thrown -> null);
    }

    private CompletableFuture<Void> makeKnown(OpenState open) {
        return open.makeKnown().thenCompose(known -> lock(open)).exceptionally(thrown -> {
            if (!delegation.isGone()) {
                open.locks().loseLocal("the server took back a delegation and would not have the lock");
            }
            return null;
        });
    }

    private CompletableFuture<Void> lock(OpenState open) {
        CompletableFuture<Void> chain = CompletableFuture.completedFuture(null);
        for (HeldLocks.Range range : open.locks().local()) {
            chain = chain.thenCompose(done -> caller.call(new LockRequest(open, range, false)))
                    .thenCompose(outcome -> {
                        if (outcome.denied() != null) {
                            return CompletableFuture.failedFuture(LockRequest.denied());
                        }
                        open.locks().known(range, outcome.stateId());
                        locked.add(open);
                        return CompletableFuture.completedFuture(null);
                    });
        }
        return chain;
    }

    private CompletableFuture<Void> giveBack() {
        if (delegation.isGone()) {
            return CompletableFuture.completedFuture(null); // lost meanwhile
        }
        delegation.giveBack();
        return caller.call(new ReturnRequest(delegation.handle(), delegation::stateId), this::ended)
                .whenComplete((done, thrown) -> {
                    if (Delegations.isRevoked(thrown)) { // others may have held the locks in between
                        locked.forEach(open -> open.locks().loseKnown("the server had revoked its delegation before"));
                    }
                });
    }

    /** Why there is nothing to return any more, or null. */
    private IOException ended() {
        return delegation.isGone() ? new IOException("the delegation has ended meanwhile") : null;
    }

    /** DELEGRETURN. */
    static final class ReturnRequest extends CompoundRequest<Void> {
        private final FileHandle handle;
        private final Supplier<StateId> stateId;

        /**
         * @param stateId of the delegation, which is another one after the server's restart
         */
        ReturnRequest(FileHandle handle, Supplier<StateId> stateId) {
            this.handle = handle;
            this.stateId = stateId;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(handle);
            DelegReturn.encodeArgs(operations.next(), new DelegReturn.Args(stateId.get()));
        }

        @Override
        public Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            results.next(Opcode.DELEGRETURN);
            return null;
        }

        @Override
        public boolean isCached() {
            return true;
        }
    }
}
