package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.rpc.ConnectOptions;
import io.verbena.rpc.ListenOptions;
import io.verbena.rpc.RpcConnection;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcTransport;
import io.verbena.rpcrdma.ConnectionListener;
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
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.metatype.annotations.Designate;

/**
 * RPC over RDMA (RFC 8166, 8167, 8797): connections and listeners on whatever RDMA providers, protocol versions and
 * negotiator are there. Those come and go while it runs.
 */
@Component(
        service = {RpcTransport.class, ConnectionMonitor.class},
        property = {RpcTransport.NETID + "=rdma", RpcTransport.NETID + "=rdma6"},
        configurationPid = DispatcherConfiguration.PID,
        immediate = true) // connections do not go away because nobody asks for the service for a while
@Designate(ocd = DispatcherConfiguration.class)
public final class RdmaRpcTransport implements RpcTransport, ConnectionMonitor, AutoCloseable {
    private static final Duration LISTEN_TIMEOUT = Duration.ofSeconds(10);
    private static final long TRIM_SECONDS = 30;

    private final Environment environment;
    private final Set<RpcClient> clients = ConcurrentHashMap.newKeySet();
    private final Set<RpcServer> servers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** For Declarative Services, which brings the services below one by one. */
    @Activate
    public RdmaRpcTransport(DispatcherConfiguration configuration) {
        this(SwapSettings.of(configuration)); // before there is a thread: who fails here cannot be closed
    }

    private RdmaRpcTransport(SwapSettings settings) {
        this(Tuning.DEFAULT);
        configure(settings);
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
        this(List.of(provider), framings, negotiator, optional);
    }

    /** As above, with several providers. */
    public RdmaRpcTransport(
            List<RdmaProvider> providers,
            List<Framing> framings,
            ConnectionNegotiator negotiator,
            List<OptionalOperation> optional) {
        this(Tuning.DEFAULT);
        providers.forEach(this::bindProvider);
        framings.forEach(this::bindFraming);
        bindNegotiator(negotiator);
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

    /** Connections stay as they are, but for those that are to go back to a higher version now. */
    @Modified
    void modified(DispatcherConfiguration configuration) {
        configure(SwapSettings.of(configuration));
    }

    void configure(SwapSettings settings) {
        environment.swaps().configure(settings);
        improve();
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindProvider(RdmaProvider provider) {
        environment.services().add(provider);
        servers.forEach(server -> environment.workers().run(() -> server.resume(provider)));
    }

    /**
     * The provider's connections finish what they can within a bound, then are made again with what is there. When this
     * returns nothing of the provider is in use any more.
     */
    void unbindProvider(RdmaProvider provider) {
        environment.services().remove(provider);
        replaceClients(connection -> connection.provider() == provider, gone(provider));
        together(servers, server -> server.suspend(provider));
    }

    static String gone(RdmaProvider provider) {
        return "provider " + provider.name() + " went";
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindFraming(Framing framing) {
        environment.versions().forgetAll();
        environment.services().add(framing);
        improve();
    }

    /** As {@link #unbindProvider}. */
    void unbindFraming(Framing framing) {
        environment.services().remove(framing);
        Predicate<Connection> affected = connection -> connection.framing() == framing;
        String reason = "framing of Version " + framing.version() + " went";
        replaceClients(affected, reason);
        together(servers, server -> server.replace(affected, reason));
    }

    /** First the clients: what they have under way may be with servers of this very transport. */
    private void replaceClients(Predicate<Connection> affected, String reason) {
        together(clients, client -> client.replace(affected, reason));
    }

    private <T> void together(Set<T> all, Consumer<T> task) {
        environment
                .workers()
                .together(all.stream()
                        .<Runnable>map(each -> () -> task.accept(each))
                        .toList());
    }

    /** A service has come that clients may be better off with. */
    private void improve() {
        if (environment.swaps().settings().returnNow()) {
            clients.forEach(client -> environment.workers().run(client::improve));
        }
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindSwapListener(SwapListener listener) {
        environment.swaps().add(listener);
    }

    void unbindSwapListener(SwapListener listener) {
        environment.swaps().remove(listener);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindConnectionListener(ConnectionListener listener) {
        environment.listeners().add(listener);
    }

    void unbindConnectionListener(ConnectionListener listener) {
        environment.listeners().remove(listener);
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
        improve();
    }

    void unbindNegotiator(ConnectionNegotiator negotiator) {
        environment.services().removeNegotiator(negotiator);
    }

    @Override
    public RpcConnection connect(ConnectOptions options) throws IOException {
        RpcClient client = new RpcClient(environment, options, this::remove);
        clients.add(client);
        environment.listeners().tell();
        client.connect();
        closeIfClosed(client);
        return client;
    }

    private void remove(RpcClient client) {
        clients.remove(client);
        environment.listeners().tell();
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

    /** The bundle stops: what is under way is finished within a bound, then all ends as by {@link #close}. */
    @Deactivate
    void deactivate() {
        closed = true;
        environment.services().close();
        long deadline = environment.swaps().drainDeadline();
        together(clients, client -> client.drain(deadline));
        close();
    }

    /** Closes every connection and listener, and waits until nothing of them is left. */
    @Override
    public void close() {
        closed = true;
        environment.services().close();
        together(clients, RpcClient::close);
        together(servers, RpcServer::close);
        environment.workers().close();
        environment.memory().clear();
    }
}
