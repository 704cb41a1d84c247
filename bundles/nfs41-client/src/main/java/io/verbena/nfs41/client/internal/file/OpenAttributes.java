package io.verbena.nfs41.client.internal.file;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.state.DelegatedAttributes;
import io.verbena.nfs41.client.internal.state.Delegation;
import io.verbena.nfs41.client.internal.state.Delegations;
import io.verbena.nfs41.client.internal.state.OpenState;
import java.util.concurrent.CompletableFuture;

/** The attributes of an open file; with a delegation, without asking the server. Thread safe; does not block. */
final class OpenAttributes {
    private final OpenState state;
    private final SharedFileState core;
    private final Delegations delegations;

    OpenAttributes(OpenState state, SharedFileState core, Delegations delegations) {
        this.state = state;
        this.core = core;
        this.delegations = delegations;
    }

    /** The attributes after the writes so far. */
    CompletableFuture<FileAttributes> behindWrites() {
        return core.readConsistently(() -> core.writes().waits().answered().thenCompose(done -> known()))
                .thenApply(FileAttributesCodec::decode);
    }

    /** The present size, without waiting for writes under way. */
    CompletableFuture<Long> size() {
        return known().thenApply(found -> found.get(Attribute.SIZE));
    }

    /** The size after the writes so far. */
    CompletableFuture<Long> sizeBehindWrites() {
        return core.readConsistently(() -> core.writes().waits().answered().thenCompose(done -> size()));
    }

    private CompletableFuture<Attributes> known() {
        Attributes known = delegations.known(state);
        return known != null ? CompletableFuture.completedFuture(known) : fetch();
    }

    private CompletableFuture<Attributes> fetch() {
        FileRequests.GetAttributes request = new FileRequests.GetAttributes(state);
        Delegation delegation = state.delegation();
        if (delegation == null) {
            return state.call(request);
        }
        long epoch = delegation.attributes().epoch();
        return state.call(request).thenApply(fetched -> {
            delegation.attributes().learn(epoch, fetched);
            return fetched;
        });
    }

    /** Changes attributes. A change of the size is done in the order of the writes. */
    CompletableFuture<Attributes> change(Attributes changes) {
        return changes.get(Attribute.SIZE) == null ? changeNow(changes) : core.exclusively(same -> changeNow(changes));
    }

    private CompletableFuture<Attributes> changeNow(Attributes changes) {
        Delegation delegation = state.beginChange(DelegatedAttributes.NO_DATA);
        return state.call(new FileRequests.SetAttributes(state, changes)).whenComplete((set, thrown) -> {
            Long size = changes.get(Attribute.SIZE);
            if (delegation != null && size != null && thrown == null) {
                delegation.attributes().resized(size);
            }
            state.endChange(delegation, thrown != null);
        });
    }
}
