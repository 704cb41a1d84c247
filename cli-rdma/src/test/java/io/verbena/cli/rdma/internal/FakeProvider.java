package io.verbena.cli.rdma.internal;

import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A provider to look at: nothing can be opened. */
public record FakeProvider(String name, boolean hasRoute, List<RdmaDevice> devices) implements RdmaProvider {
    /** Creates a provider with two devices to list. */
    FakeProvider(String name, boolean hasRoute) {
        this(name, hasRoute, twoDevices());
    }

    /** Creates a provider with two devices to list, which has no route. */
    FakeProvider(String name) {
        this(name, false);
    }

    private static List<RdmaDevice> twoDevices() {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("gids", "fe80::1");
        attributes.put("firmware", "1.0\n2");
        attributes.put("max_qp_wr", "1048576");
        attributes.put("registration", "windows of type 2");
        attributes.put("registration_reason", "the device has them");
        return List.of(
                new RdmaDevice("rxe0", "roce", true, attributes), new RdmaDevice("siw0", "iwarp", false, Map.of()));
    }

    @Override
    public boolean reaches(InetSocketAddress remote) {
        return hasRoute;
    }

    @Override
    public RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout)
            throws RdmaException {
        throw new RdmaException(RdmaException.Kind.UNREACHABLE, "only to look at");
    }

    @Override
    public RdmaListener listen(
            InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException {
        throw new RdmaException(RdmaException.Kind.ADDRESS_UNAVAILABLE, "only to look at");
    }
}
