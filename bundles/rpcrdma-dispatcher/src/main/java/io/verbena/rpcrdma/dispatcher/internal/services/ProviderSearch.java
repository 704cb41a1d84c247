package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.rpcrdma.dispatcher.internal.services.ProviderChoice.Finding;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * One search of {@code auto} for a provider: it takes a provider that has a device with a route, else the one in
 * software. Each provider is asked once, since asking waits for the network. Used by one thread.
 */
final class ProviderSearch {
    private final InetSocketAddress remote;
    private final Set<RdmaProvider> asked = Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * @param provider the one to take
     * @param finding why
     */
    record FoundProvider(RdmaProvider provider, Finding finding) {}

    ProviderSearch(InetSocketAddress remote) {
        this.remote = remote;
    }

    /**
     * The provider to take of those that are present, or null where none will do. Blocks while a provider looks for a
     * route.
     */
    FoundProvider among(List<RdmaProvider> present) {
        RdmaProvider software = null;
        for (RdmaProvider provider : present) {
            if (ProviderNames.isSoftware(provider)) {
                software = provider;
            } else if (asked.add(provider) && provider.reaches(remote)) {
                return new FoundProvider(provider, Finding.HAS_ROUTE);
            }
        }
        Finding finding = asked.isEmpty() ? Finding.NO_DEVICES : Finding.NO_ROUTE;
        return software == null ? null : new FoundProvider(software, finding);
    }
}
