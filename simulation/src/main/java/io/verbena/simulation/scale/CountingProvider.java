package io.verbena.simulation.scale;

import io.verbena.simulation.network.SimulatedProvider;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The network as a process sees it; counts attempts to connect and requests that the server rejects. */
final class CountingProvider implements RdmaProvider {
    private final SimulatedProvider network;
    private final Runnable onAttempt;
    private final Runnable onRejected;

    CountingProvider(SimulatedProvider network, Runnable onAttempt, Runnable onRejected) {
        this.network = network;
        this.onAttempt = onAttempt;
        this.onRejected = onRejected;
    }

    @Override
    public String name() {
        return network.name();
    }

    @Override
    public List<RdmaDevice> devices() {
        return network.devices();
    }

    @Override
    public boolean reaches(InetSocketAddress remote) {
        return network.reaches(remote);
    }

    @Override
    public RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout) {
        onAttempt.run();
        return network.open(remote, options, handler, timeout);
    }

    @Override
    public RdmaListener listen(
            InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException {
        return network.listen(
                local, providerOptions, request -> acceptor.onConnectionRequest(new CountedRequest(request)));
    }

    private final class CountedRequest implements ConnectionRequest {
        private final ConnectionRequest request;

        CountedRequest(ConnectionRequest request) {
            this.request = request;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return request.remoteAddress();
        }

        @Override
        public byte[] privateData() {
            return request.privateData();
        }

        @Override
        public RdmaConnection open(ConnectionOptions options, ConnectionHandler handler) throws RdmaException {
            return request.open(options, handler);
        }

        @Override
        public void reject(byte[] reason) {
            onRejected.run();
            request.reject(reason);
        }
    }
}
