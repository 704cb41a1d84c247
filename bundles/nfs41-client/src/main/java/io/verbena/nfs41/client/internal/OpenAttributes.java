package io.verbena.nfs41.client.internal;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import java.util.concurrent.CompletableFuture;

/** The attributes of an open file, which a delegation may tell without the server. Does not block. */
final class OpenAttributes {
    private final OpenState state;
    private final FileCore core;
    private final Delegations delegations;

    OpenAttributes(OpenState state, FileCore core, Delegations delegations) {
        this.state = state;
        this.core = core;
        this.delegations = delegations;
    }

    /** The attributes behind the writes so far. */
    CompletableFuture<FileAttributes> behindWrites() {
        return core.seeing(() -> core.writes().waits().answered().thenCompose(done -> known()))
                .thenApply(FileAttributesCodec::decode);
    }

    /** The size as it is now, whatever is being written. */
    CompletableFuture<Long> size() {
        return known().thenApply(found -> found.get(Attribute.SIZE));
    }

    /** The size behind the writes so far. */
    CompletableFuture<Long> sizeBehindWrites() {
        return core.seeing(() -> core.writes().waits().answered().thenCompose(done -> size()));
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

    /** Changes attributes; a change of the size has its place in the order of the writes. */
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
