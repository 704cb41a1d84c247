package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.ProviderChoice.Finding;
import io.verbena.rpcrdma.dispatcher.internal.Services.Chosen;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** What a user reads when no connection can be made: what was asked, what failed, what to do. */
final class ConnectErrors {
    private ConnectErrors() {}

    static TransportLostException lost(InetSocketAddress remote, String why, Throwable cause) {
        return new TransportLostException("lost the connection to " + describe(remote) + ": " + why, cause);
    }

    static TransportLostException noSuchHost(InetSocketAddress remote) {
        return new TransportLostException(
                "cannot connect to " + describe(remote) + ": no such host; check the name", null);
    }

    static TransportLostException explain(
            InetSocketAddress remote, Chosen chosen, Duration timeout, RdmaException cause) {
        String provider = chosen.provider().name();
        String reason =
                switch (cause.kind()) {
                    case REFUSED -> "connection refused; is an NFS/RDMA server listening there?";
                    case REJECTED ->
                        "the server rejected the connection; does it speak RPC-over-RDMA, and has it room?";
                    case TIMED_OUT ->
                        "no answer within " + seconds(timeout) + " s; is the host up and the port reachable?";
                    case PROTOCOL ->
                        ProviderNames.isSoftware(chosen.provider())
                                ? "answers, but does not speak MPA/iWARP; is it a plain TCP service?"
                                : "answers, but not as an RDMA service";
                    case UNREACHABLE ->
                        "provider " + provider + " has no way there (" + cause.getMessage()
                                + "); check the address and the network";
                    default -> cause.getMessage();
                };
        return new TransportLostException(
                "cannot connect to " + describe(remote) + ": " + reason + hint(chosen), cause);
    }

    /** An option that the provider does not know, or not that value. */
    static IllegalArgumentException refused(Chosen chosen, IllegalArgumentException cause) {
        return chosen.finding() == Finding.HAS_ROUTE
                ? new IllegalArgumentException(
                        cause.getMessage() + " (auto took provider "
                                + chosen.provider().name() + ", which has a route)",
                        cause)
                : cause;
    }

    /** Devices may have a route to where nobody listens for them: servers in software speak iWARP over TCP only. */
    private static String hint(Chosen chosen) {
        return chosen.finding() == Finding.HAS_ROUTE
                ? " (auto took provider " + chosen.provider().name() + ", which has a route; where the server speaks"
                        + " iWARP in software, say provider=" + ProviderNames.SOFTWARE + ")"
                : "";
    }

    static String describe(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    static String seconds(Duration time) {
        long millis = time.toMillis();
        return millis % 1000 == 0 ? Long.toString(millis / 1000) : Double.toString(millis / 1000.0);
    }
}
