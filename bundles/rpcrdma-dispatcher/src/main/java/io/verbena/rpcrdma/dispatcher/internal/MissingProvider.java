package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/** What a user reads when a provider is not there: which, and what to do about it. */
final class MissingProvider {
    /** The providers of this project, and what each takes to be there. */
    private static final Map<String, String> REMEDIES = Map.of(
            ProviderNames.SOFTWARE,
            "start its bundle (io.verbena.verbs.iwarp)",
            ProviderNames.DEVICES,
            "either there is no RDMA device here that it can use (see rdma link), or its libraries are missing (install"
                    + " libibverbs1, librdmacm1 and ibverbs-providers), or it is not started: the log says which, in a"
                    + " line of io.verbena.verbs.native; then start its bundle (io.verbena.verbs.native)");

    private MissingProvider() {}

    /** Nothing to connect with came in time; the choice is no longer open. */
    static String toConnect(ProviderChoice choice, List<RdmaProvider> present) {
        return choice.isByAuto()
                ? "the RDMA provider '" + choice.name() + "', which has carried this from the first connection on ("
                        + choice.reason() + "), is not there any more; " + remedy(choice.name())
                        + ", or mount again to have another one taken"
                : named(choice.name(), present);
    }

    /** The same for auto, before there was a connection. */
    static String forAuto(InetSocketAddress remote, List<RdmaProvider> present) {
        String way = present.isEmpty() ? "" : " with a way to " + ConnectErrors.describe(remote);
        return "no RDMA provider is there" + way + "; " + remedy(ProviderNames.SOFTWARE);
    }

    /** Nothing to listen with came in time. */
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
