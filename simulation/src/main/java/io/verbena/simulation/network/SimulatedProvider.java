package io.verbena.simulation.network;

import io.verbena.simulation.scheduler.SimulatedProcess;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ProviderNames;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The network of a world, as a process sees it. */
public final class SimulatedProvider implements RdmaProvider {
    private final SimulatedNetwork network;
    private final SimulatedProcess process;
    private final InetAddress host;
    private final boolean remoteInvalidation;
    private final boolean directMemory;
    private final Predicate<byte[]> readable;
    private final Predicate<byte[]> renewing;

    /**
     * The provider of a process that can read each message.
     *
     * @param host the address of the host that the process runs on
     * @param remoteInvalidation whether peers can invalidate memory of this host, and it theirs
     * @param directMemory whether it registers direct buffers only, as devices do
     */
    public SimulatedProvider(
            SimulatedNetwork network,
            SimulatedProcess process,
            InetAddress host,
            boolean remoteInvalidation,
            boolean directMemory) {
        this(network, process, host, remoteInvalidation, directMemory, message -> true, message -> true);
    }

    /**
     * @param host the address of the host that the process runs on
     * @param remoteInvalidation whether peers can invalidate memory of this host, and it theirs
     * @param directMemory whether only direct buffers can be registered
     * @param readable whether the process can read a message now, where it has read none by the same connection
     * @param renewing whether a message may renew the lease of its sender
     */
    public SimulatedProvider(
            SimulatedNetwork network,
            SimulatedProcess process,
            InetAddress host,
            boolean remoteInvalidation,
            boolean directMemory,
            Predicate<byte[]> readable,
            Predicate<byte[]> renewing) {
        this.network = network;
        this.process = process;
        this.host = host;
        this.remoteInvalidation = remoteInvalidation;
        this.directMemory = directMemory;
        this.readable = readable;
        this.renewing = renewing;
    }

    SimulatedProcess process() {
        return process;
    }

    SimulatedNetwork network() {
        return network;
    }

    InetAddress host() {
        return host;
    }

    boolean remoteInvalidation() {
        return remoteInvalidation;
    }

    boolean canRead(byte[] message) {
        return readable.test(message);
    }

    boolean mayRenew(byte[] message) {
        return renewing.test(message);
    }

    boolean directMemory() {
        return directMemory;
    }

    @Override
    public String name() {
        return ProviderNames.SOFTWARE;
    }

    @Override
    public List<RdmaDevice> devices() {
        return List.of(new RdmaDevice("sim0", "iwarp", true, Map.of()));
    }

    @Override
    public boolean reaches(InetSocketAddress remote) {
        return true;
    }

    @Override
    public RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout) {
        network.up(host);
        return new SimulatedConnection(this, network.anyPort(host), remote, options, handler, true);
    }

    @Override
    public RdmaListener listen(
            InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException {
        InetSocketAddress bound =
                local.getPort() == 0 ? network.anyPort(host) : new InetSocketAddress(host, local.getPort());
        Listening listening = new Listening(this, acceptor);
        network.listen(bound, listening);
        return new RdmaListener() {
            @Override
            public InetSocketAddress localAddress() {
                return bound;
            }

            @Override
            public void close() {
                network.listenNoMore(bound, listening);
                listening.close();
            }
        };
    }
}
