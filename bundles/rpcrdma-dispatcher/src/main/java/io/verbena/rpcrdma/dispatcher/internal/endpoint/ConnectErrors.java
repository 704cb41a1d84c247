package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import io.verbena.memory.MemoryRefusedException;
import io.verbena.rpc.LocalResourceException;
import io.verbena.rpc.TransportLostException;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportErrors;
import io.verbena.rpcrdma.dispatcher.internal.services.ProviderChoice.Finding;
import io.verbena.rpcrdma.dispatcher.internal.services.Services.ChosenServices;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** What a user reads when no connection can be made: the request, the failure, and what to do about it. */
final class ConnectErrors {
    private ConnectErrors() {}

    static TransportLostException noSuchHost(InetSocketAddress remote) {
        return new TransportLostException(
                "cannot connect to " + Addresses.text(remote) + ": no such host; check the name", null);
    }

    static TransportLostException explain(
            InetSocketAddress remote, ChosenServices chosen, Duration timeout, RdmaException cause) {
        String provider = chosen.provider().name();
        String reason =
                switch (cause.kind()) {
                    case REFUSED -> "connection refused; is an NFS/RDMA server listening there?";
                    case REJECTED ->
                        "the server rejected the connection; does it speak RPC-over-RDMA, and has it room?";
                    case TIMED_OUT ->
                        "no answer within " + TransportErrors.seconds(timeout)
                                + " s; is the host up and the port reachable?";
                    case PROTOCOL ->
                        ProviderNames.isSoftware(chosen.provider())
                                ? "answers, but does not speak MPA/iWARP; is it a plain TCP service?"
                                : "answers, but not as an RDMA service";
                    case UNREACHABLE ->
                        "provider " + provider + " has no way there (" + cause.getMessage()
                                + "); check the address and the network";
                    default -> cause.getMessage();
                };
        String message = "cannot connect to " + Addresses.text(remote) + ": " + reason + hint(chosen);
        return cause.getCause() instanceof MemoryRefusedException
                ? new LocalResourceException(message, cause, true)
                : new TransportLostException(message, cause);
    }

    /** The failure for an option, or a value of it, that the provider does not know. */
    static IllegalArgumentException refused(ChosenServices chosen, IllegalArgumentException cause) {
        return chosen.finding() == Finding.HAS_ROUTE
                ? new IllegalArgumentException(
                        cause.getMessage() + " (auto took provider "
                                + chosen.provider().name() + ", which has a route)",
                        cause)
                : cause;
    }

    /**
     * A hint where {@code auto} took a device: a device may have a route to a host whose server speaks iWARP over TCP
     * only.
     */
    private static String hint(ChosenServices chosen) {
        return chosen.finding() == Finding.HAS_ROUTE
                ? " (auto took provider " + chosen.provider().name() + ", which has a route; where the server speaks"
                        + " iWARP in software, say provider=" + ProviderNames.SOFTWARE + ")"
                : "";
    }
}
