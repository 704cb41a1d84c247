package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.ConnectionNegotiator;
import io.verbena.rpcrdma.ConnectionStatus;
import io.verbena.rpcrdma.Framing;
import io.verbena.rpcrdma.OptionalOperation;
import io.verbena.verbs.RdmaProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * RPC over RDMA (RFC 8166, 8167, 8797): connections and listeners on whatever RDMA providers, protocol versions and
 * negotiator are there. Those come and go while it runs.
 */
@Component(
        service = {RpcTransport.class, ConnectionMonitor.class},
        property = {RpcTransport.NETID + "=rdma", RpcTransport.NETID + "=rdma6"},
        immediate = true) // connections do not go away because nobody asks for the service for a while
public final class RdmaRpcTransport implements RpcTransport, ConnectionMonitor, AutoCloseable {
    private static final Duration LISTEN_TIMEOUT = Duration.ofSeconds(10);
    private static final long TRIM_SECONDS = 30;

    private final Environment environment;
    private final Set<RpcClient> clients = ConcurrentHashMap.newKeySet();
    private final Set<RpcServer> servers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** For Declarative Services, which brings the services below one by one. */
    @Activate
    public RdmaRpcTransport() {
        this(Tuning.DEFAULT);
    }

    /**
     * For programs without OSGi; {@link #close} ends it.
     *
     * @param negotiator null to connect without private data
     */
    public RdmaRpcTransport(RdmaProvider provider, List<Framing> framings, ConnectionNegotiator negotiator) {
        this(provider, framings, negotiator, List.of());
    }

    /** As {@link #RdmaRpcTransport(RdmaProvider, List, ConnectionNegotiator)}, with optional operations of Version Two. */
    public RdmaRpcTransport(
            RdmaProvider provider,
            List<Framing> framings,
            ConnectionNegotiator negotiator,
            List<OptionalOperation> optional) {
        this(Tuning.DEFAULT, provider, framings, negotiator);
        optional.forEach(this::bindOptionalOperation);
    }

    RdmaRpcTransport(Tuning tuning, RdmaProvider provider, List<Framing> framings, ConnectionNegotiator negotiator) {
        this(tuning);
        bindProvider(provider);
        framings.forEach(this::bindFraming);
        bindNegotiator(negotiator);
    }

    RdmaRpcTransport(Tuning tuning) {
        environment = new Environment(new Services(), tuning);
        environment.workers().repeat(this::trim, TimeUnit.SECONDS.toNanos(TRIM_SECONDS));
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindProvider(RdmaProvider provider) {
        environment.services().add(provider);
        servers.forEach(server -> environment.workers().run(() -> server.resume(provider)));
    }

    /** The provider's connections finish what they can within a bound, then are made again with what is there. */
    void unbindProvider(RdmaProvider provider) {
        environment.services().remove(provider);
        clients.forEach(client -> client.replace(connection -> connection.provider() == provider));
        servers.forEach(server -> server.suspend(provider));
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindFraming(Framing framing) {
        environment.services().add(framing);
    }

    /** As {@link #unbindProvider}. */
    void unbindFraming(Framing framing) {
        environment.services().remove(framing);
        clients.forEach(client -> client.replace(connection -> connection.framing() == framing));
        servers.forEach(server -> server.replace(connection -> connection.framing() == framing));
    }

    /** The registry of optional operations. One that goes is answered with as one that is not known. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindOptionalOperation(OptionalOperation operation) {
        environment.services().add(operation);
    }

    void unbindOptionalOperation(OptionalOperation operation) {
        environment.services().remove(operation);
    }

    @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
    void bindNegotiator(ConnectionNegotiator negotiator) {
        environment.services().negotiator(negotiator);
    }

    void unbindNegotiator(ConnectionNegotiator negotiator) {
        environment.services().removeNegotiator(negotiator);
    }

    @Override
    public RpcConnection connect(ConnectOptions options) throws IOException {
        RpcClient client = new RpcClient(environment, options, clients::remove);
        clients.add(client);
        client.connect();
        closeIfClosed(client);
        return client;
    }

    @Override
    public RpcListener listen(ListenOptions options, RpcProgram program) throws IOException {
        RpcServer server = new RpcServer(environment, options, program, servers::remove);
        servers.add(server); // before it listens: its provider may go away at once
        try {
            server.listen(LISTEN_TIMEOUT);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
        closeIfClosed(server);
        return server;
    }

    /** Whoever came in while the transport was being closed is closed too. */
    private void closeIfClosed(AutoCloseable late) throws IOException {
        if (closed) {
            try {
                late.close();
            } catch (Exception e) {
                throw new IOException("the RPC-over-RDMA transport was stopped", e);
            }
            throw new IOException("the RPC-over-RDMA transport was stopped");
        }
    }

    @Override
    public List<ConnectionStatus> connections() {
        List<ConnectionStatus> all = new ArrayList<>();
        clients.forEach(client -> all.add(client.status()));
        servers.forEach(server -> server.addStatus(all));
        all.sort(Comparator.comparingLong(ConnectionStatus::id));
        return all;
    }

    private void trim() {
        environment.memory().trim();
        clients.forEach(RpcClient::trim);
        servers.forEach(RpcServer::trim);
    }

    /** Closes every connection and listener, and waits until nothing of them is left. */
    @Deactivate
    @Override
    public void close() {
        closed = true;
        environment.services().close();
        List.copyOf(clients).forEach(RpcClient::close);
        List.copyOf(servers).forEach(RpcServer::close);
        environment.workers().close();
        environment.memory().clear();
    }
}
