package io.verbena.rpcrdma.dispatcher.internal.services;

import io.verbena.verbs.Addresses;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/** What a user reads when a provider is missing: which one, and what to do about it. */
public final class MissingProviderMessages {
    /** The providers of this project, and how a user makes each available. */
    private static final Map<String, String> REMEDIES = Map.of(
            ProviderNames.SOFTWARE,
            "start its bundle (io.verbena.verbs.iwarp)",
            ProviderNames.DEVICES,
            "either there is no RDMA device here that it can use (see rdma link), or its libraries are missing (install"
                    + " libibverbs1, librdmacm1 and ibverbs-providers), or it is not started: the log says which, in a"
                    + " line of io.verbena.verbs.native; then start its bundle (io.verbena.verbs.native)");

    private MissingProviderMessages() {}

    /** The reason for the end of connections whose provider goes. */
    public static String gone(RdmaProvider provider) {
        return "provider " + provider.name() + " went";
    }

    /** No provider to connect with came in time. The choice is settled. */
    static String toConnect(ProviderChoice choice, List<RdmaProvider> present) {
        return choice.isByAuto()
                ? "the RDMA provider '" + choice.name() + "', which has carried this from the first connection on ("
                        + choice.reason() + "), is not there any more; " + remedy(choice.name())
                        + ", or mount again to have another one taken"
                : named(choice.name(), present);
    }

    /** No provider came in time for {@code auto}, before there was a connection. */
    static String forAuto(InetSocketAddress remote, List<RdmaProvider> present) {
        String way = present.isEmpty() ? "" : " with a way to " + Addresses.text(remote);
        return "no RDMA provider is there" + way + "; " + remedy(ProviderNames.SOFTWARE);
    }

    /** No provider to listen with came in time. */
    static String toListen(TransportOptions options, List<RdmaProvider> present) {
        return options.provider().equals(TransportOptions.AUTO)
                ? "the RDMA provider '" + ProviderNames.SOFTWARE + "', with which auto listens, is not there; "
                        + remedy(ProviderNames.SOFTWARE) + ", or name another with provider="
                : named(options.provider(), present);
    }

    private static String named(String name, List<RdmaProvider> present) {
        if (REMEDIES.containsKey(name)) {
            return "the RDMA provider '" + name + "' is not there; " + remedy(name) + ", or leave out provider=" + name;
        }
        return ProviderNames.unknown(name, present);
    }

    private static String remedy(String name) {
        return REMEDIES.getOrDefault(name, "start its bundle");
    }
}
