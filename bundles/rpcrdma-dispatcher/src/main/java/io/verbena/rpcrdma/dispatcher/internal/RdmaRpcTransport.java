package io.verbena.rpcrdma.dispatcher.internal;

import io.verbena.memory.MemoryBudget;
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
import io.verbena.rpcrdma.dispatcher.internal.base.DispatcherConfiguration;
import io.verbena.rpcrdma.dispatcher.internal.base.PeerBounds;
import io.verbena.rpcrdma.dispatcher.internal.base.TransportLimits;
import io.verbena.rpcrdma.dispatcher.internal.connection.Connection;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.RpcClient;
import io.verbena.rpcrdma.dispatcher.internal.endpoint.RpcServer;
import io.verbena.rpcrdma.dispatcher.internal.services.ConnectionSwapListener;
import io.verbena.rpcrdma.dispatcher.internal.services.MissingProviderMessages;
import io.verbena.rpcrdma.dispatcher.internal.services.SwapSettings;
import io.verbena.rpcrdma.dispatcher.internal.services.TransportContext;
import io.verbena.runtime.Runtime;
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
 * RPC over RDMA (RFC 8166, 8167, 8797): makes connections and listeners of the RDMA providers, protocol versions and
 * negotiator that are present. These services come and go while it runs.
 */
@Component(
        service = {RpcTransport.class, ConnectionMonitor.class},
        property = {RpcTransport.NETID + "=rdma", RpcTransport.NETID + "=rdma6"},
        configurationPid = DispatcherConfiguration.PID,
        immediate = true) // connections stay while no bundle uses the service
@Designate(ocd = DispatcherConfiguration.class)
public final class RdmaRpcTransport implements RpcTransport, ConnectionMonitor, AutoCloseable {
    private static final Duration LISTEN_TIMEOUT = Duration.ofSeconds(10);
    private static final long TRIM_SECONDS = 30;

    private final TransportContext context;
    private final Set<RpcClient> clients = ConcurrentHashMap.newKeySet();
    private final Set<RpcServer> servers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** For Declarative Services, which binds the services one by one. */
    @Activate
    public RdmaRpcTransport(
            DispatcherConfiguration configuration, @Reference Runtime runtime, @Reference MemoryBudget memory) {
        // read before a thread is made: an object whose constructor throws cannot be closed
        this(SwapSettings.of(configuration), PeerBounds.of(configuration), runtime, memory);
    }

    private RdmaRpcTransport(SwapSettings settings, PeerBounds bounds, Runtime runtime, MemoryBudget memory) {
        this(runtime, TransportLimits.DEFAULT, memory);
        configure(bounds);
        configure(settings);
    }

    /**
     * For programs without OSGi. {@link #close} ends it.
     *
     * @param runtime clocks, threads and random numbers
     * @param memory all buffers are leased from it
     * @param negotiator null to connect without private data
     */
    public RdmaRpcTransport(
            Runtime runtime,
            MemoryBudget memory,
            RdmaProvider provider,
            List<Framing> framings,
            ConnectionNegotiator negotiator) {
        this(runtime, memory, provider, framings, negotiator, List.of());
    }

    /**
     * As {@link #RdmaRpcTransport(Runtime, MemoryBudget, RdmaProvider, List, ConnectionNegotiator)}, with optional
     * operations of Version Two.
     */
    public RdmaRpcTransport(
            Runtime runtime,
            MemoryBudget memory,
            RdmaProvider provider,
            List<Framing> framings,
            ConnectionNegotiator negotiator,
            List<OptionalOperation> optional) {
        this(runtime, memory, List.of(provider), framings, negotiator, optional);
    }

    /** As above, with several providers. */
    public RdmaRpcTransport(
            Runtime runtime,
            MemoryBudget memory,
            List<RdmaProvider> providers,
            List<Framing> framings,
            ConnectionNegotiator negotiator,
            List<OptionalOperation> optional) {
        this(runtime, TransportLimits.DEFAULT, memory);
        providers.forEach(this::bindProvider);
        framings.forEach(this::bindFraming);
        bindNegotiator(negotiator);
        optional.forEach(this::bindOptionalOperation);
    }

    RdmaRpcTransport(
            Runtime runtime,
            TransportLimits limits,
            MemoryBudget memory,
            RdmaProvider provider,
            List<Framing> framings,
            ConnectionNegotiator negotiator) {
        this(runtime, limits, memory);
        bindProvider(provider);
        framings.forEach(this::bindFraming);
        bindNegotiator(negotiator);
    }

    RdmaRpcTransport(Runtime runtime, TransportLimits limits, MemoryBudget memory) {
        context = new TransportContext(runtime, limits, memory);
        context.workers().repeat(this::trim, TimeUnit.SECONDS.toNanos(TRIM_SECONDS));
    }

    /** Takes a changed configuration. Connections stay, except those that return to a higher version now. */
    @Modified
    void modified(DispatcherConfiguration configuration) {
        configure(PeerBounds.of(configuration));
        configure(SwapSettings.of(configuration));
    }

    /** Sets the bounds of connections that are made from now on. */
    void configure(PeerBounds bounds) {
        context.bounds().set(bounds);
    }

    void configure(SwapSettings settings) {
        context.swaps().configure(settings);
        improve();
    }

    /** Adds a provider. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void bindProvider(RdmaProvider provider) {
        context.services().add(provider);
        servers.forEach(server -> context.workers().run(() -> server.resume(provider)));
    }

    /**
     * Removes a provider. Its connections are drained within a bound, then made again of the services that are present.
     * When this returns, the provider is not in use any more.
     */
    public void unbindProvider(RdmaProvider provider) {
        context.services().remove(provider);
        replaceClients(connection -> connection.provider() == provider, MissingProviderMessages.gone(provider));
        together(servers, server -> server.suspend(provider));
    }

    /** Adds a framing. Clients may change to a better version by it. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void bindFraming(Framing framing) {
        context.versions().forgetAll();
        context.services().add(framing);
        improve();
    }

    /** As {@link #unbindProvider}. */
    public void unbindFraming(Framing framing) {
        context.services().remove(framing);
        Predicate<Connection> affected = connection -> connection.framing() == framing;
        String reason = "framing of Version " + framing.version() + " went";
        replaceClients(affected, reason);
        together(servers, server -> server.replace(affected, reason));
    }

    /** Replaces the connections of clients first: their calls may be under way to servers of this transport. */
    private void replaceClients(Predicate<Connection> affected, String reason) {
        together(clients, client -> client.replace(affected, reason));
    }

    private <T> void together(Set<T> all, Consumer<T> task) {
        context.workers()
                .together(all.stream()
                        .<Runnable>map(each -> () -> task.accept(each))
                        .toList());
    }

    /** Lets clients change to a better connection, now that a service came. */
    private void improve() {
        if (context.swaps().settings().returnNow()) {
            clients.forEach(client -> context.workers().run(client::improve));
        }
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindSwapListener(ConnectionSwapListener listener) {
        context.swaps().add(listener);
    }

    void unbindSwapListener(ConnectionSwapListener listener) {
        context.swaps().remove(listener);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindConnectionListener(ConnectionListener listener) {
        context.listeners().add(listener);
    }

    void unbindConnectionListener(ConnectionListener listener) {
        context.listeners().remove(listener);
    }

    /** Adds an optional operation. After it is removed, its type is answered as an unknown one. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void bindOptionalOperation(OptionalOperation operation) {
        context.services().add(operation);
    }

    void unbindOptionalOperation(OptionalOperation operation) {
        context.services().remove(operation);
    }

    /** Sets the negotiator of the private data of connections that are made from now on. */
    @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
    public void bindNegotiator(ConnectionNegotiator negotiator) {
        context.services().negotiator(negotiator);
        improve();
    }

    /** As {@link #bindNegotiator}: connections that are made from now on have no private data. */
    public void unbindNegotiator(ConnectionNegotiator negotiator) {
        context.services().removeNegotiator(negotiator);
    }

    @Override
    public RpcConnection connect(ConnectOptions options) throws IOException {
        RpcClient client = new RpcClient(context, options, this::remove);
        clients.add(client);
        context.listeners().tell();
        client.connect();
        closeIfClosed(client);
        return client;
    }

    private void remove(RpcClient client) {
        clients.remove(client);
        context.listeners().tell();
    }

    @Override
    public RpcListener listen(ListenOptions options, RpcProgram program) throws IOException {
        RpcServer server = new RpcServer(context, options, program, servers::remove);
        servers.add(server); // added before it listens: its provider may go at once
        try {
            server.listen(LISTEN_TIMEOUT);
        } catch (Throwable e) {
            server.close();
            throw e;
        }
        closeIfClosed(server);
        return server;
    }

    /** Closes a client or server that was added while the transport was being closed. */
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
        clients.forEach(RpcClient::trim);
        servers.forEach(RpcServer::trim);
    }

    /** Stops the component: drains the connections within a bound, then closes everything as {@link #close} does. */
    @Deactivate
    void deactivate() {
        closed = true;
        context.services().close();
        long deadline = context.swaps().drainDeadline();
        together(clients, client -> client.drain(deadline));
        close();
    }

    /** Closes every connection and listener. When this returns, their threads and memory are released. */
    @Override
    public void close() {
        closed = true;
        context.services().close();
        together(clients, RpcClient::close);
        together(servers, RpcServer::close);
        context.workers().close();
    }
}
