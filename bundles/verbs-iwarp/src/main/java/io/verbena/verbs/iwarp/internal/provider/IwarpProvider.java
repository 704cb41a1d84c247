package io.verbena.verbs.iwarp.internal.provider;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.MemoryBudget;
import io.verbena.runtime.Runtime;
import io.verbena.verbs.Addresses;
import io.verbena.verbs.ConnectionAcceptor;
import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.RdmaListener;
import io.verbena.verbs.RdmaProvider;
import io.verbena.verbs.WireObserver;
import io.verbena.verbs.WireTap;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.connection.IwarpConnection;
import io.verbena.verbs.iwarp.internal.connection.ProviderContext;
import io.verbena.verbs.iwarp.internal.connection.Threads;
import io.verbena.verbs.iwarp.internal.memory.RandomNumbers;
import io.verbena.verbs.iwarp.internal.settings.IwarpConfiguration;
import io.verbena.verbs.iwarp.internal.settings.IwarpOptions;
import io.verbena.verbs.iwarp.internal.settings.IwarpSettings;
import io.verbena.verbs.iwarp.internal.tcp.NetworkPath;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.metatype.annotations.Designate;

/** RDMA in software: iWARP over TCP. Any thread. */
@Component(
        name = "io.verbena.verbs.iwarp.internal.IwarpProvider",
        service = RdmaProvider.class,
        property = RdmaProvider.NAME + "=" + IwarpSettings.PROVIDER,
        configurationPid = IwarpConfiguration.PID)
@Designate(ocd = IwarpConfiguration.class)
public final class IwarpProvider implements RdmaProvider, ProviderContext {
    private final Runtime runtime;
    private final IwarpSettings settings;
    private final MemoryBudget memory;
    private final RandomNumbers random;
    private final WireTap tap = new WireTap(
            (observer, failure) -> Log.LOGGER.warn("{} has failed and observes no more", observer, failure));

    @GuardedBy("this")
    private final Set<IwarpConnection> connections = new HashSet<>();

    @GuardedBy("this")
    private final Set<IwarpListener> listeners = new HashSet<>();

    @GuardedBy("this")
    private boolean deactivated;

    @Activate
    public IwarpProvider(IwarpConfiguration configuration, @Reference Runtime runtime, @Reference MemoryBudget memory) {
        this(IwarpSettings.of(configuration), runtime, memory);
    }

    /** A provider with the default settings. */
    public IwarpProvider(Runtime runtime, MemoryBudget memory) {
        this(IwarpSettings.DEFAULT, runtime, memory);
    }

    public IwarpProvider(IwarpSettings settings, Runtime runtime, MemoryBudget memory) {
        this.settings = settings;
        this.runtime = runtime;
        this.memory = memory;
        random = new RandomNumbers(runtime.random());
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void addObserver(WireObserver observer) {
        tap.add(observer);
    }

    public void removeObserver(WireObserver observer) {
        tap.remove(observer);
    }

    @Override
    public String name() {
        return IwarpSettings.PROVIDER;
    }

    @Override
    public List<RdmaDevice> devices() {
        return NetworkPath.devices();
    }

    @Override
    public boolean reaches(InetSocketAddress remote) {
        return NetworkPath.reaches(remote);
    }

    @Override
    public RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout)
            throws RdmaException {
        IwarpOptions all = settings.defaults().with(options.provider());
        InetSocketAddress resolved = resolve(remote);
        if (!NetworkPath.reaches(resolved)) {
            throw new RdmaException(Kind.UNREACHABLE, "there is no route to " + Addresses.text(remote));
        }
        IwarpConnection connection = new IwarpConnection(this, resolved, options, all, handler, null, null);
        opened(connection);
        return connection;
    }

    private static InetSocketAddress resolve(InetSocketAddress remote) throws RdmaException {
        if (!remote.isUnresolved()) {
            return remote;
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(remote.getHostString()), remote.getPort());
        } catch (UnknownHostException e) {
            throw new RdmaException(Kind.UNREACHABLE, "unknown host " + remote.getHostString(), e);
        }
    }

    @Override
    public RdmaListener listen(
            InetSocketAddress local, Map<String, String> providerOptions, ConnectionAcceptor acceptor)
            throws RdmaException {
        IwarpOptions options = settings.defaults().with(providerOptions);
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            try {
                server.bind(local);
                IwarpListener listener = new IwarpListener(this, server, options, acceptor, this::closed);
                synchronized (this) {
                    checkActive();
                    listeners.add(listener);
                }
                listener.start();
                return listener;
            } catch (Throwable e) {
                server.close();
                throw e;
            }
        } catch (RdmaException e) {
            throw e;
        } catch (IOException | java.nio.channels.UnresolvedAddressException e) {
            throw new RdmaException(
                    Kind.ADDRESS_UNAVAILABLE,
                    "cannot listen at " + Addresses.numeric(local) + ": " + e.getMessage(),
                    e);
        }
    }

    /**
     * Closes all listeners and connections. Returns when all their threads have ended, or when a thread that hangs has
     * used up the time for it.
     */
    @Deactivate
    public void deactivate() {
        List<IwarpListener> lastListeners;
        List<IwarpConnection> lastConnections;
        synchronized (this) {
            deactivated = true;
            lastListeners = new ArrayList<>(listeners);
        }
        long deadline = Threads.endDeadline(runtime);
        // each may have a peer that does not answer, or code above that hangs: all close at the same time
        lastListeners.forEach(IwarpListener::beginClose);
        synchronized (this) {
            lastConnections = new ArrayList<>(connections);
        }
        lastConnections.forEach(IwarpConnection::beginClose);
        lastListeners.forEach(listener -> listener.close(deadline));
        lastConnections.forEach(connection -> connection.close(deadline));
    }

    @Override
    public Runtime runtime() {
        return runtime;
    }

    @Override
    public IwarpSettings settings() {
        return settings;
    }

    @Override
    public MemoryBudget memory() {
        return memory;
    }

    @Override
    public RandomNumbers random() {
        return random;
    }

    @Override
    public WireTap tap() {
        return tap;
    }

    @Override
    public synchronized void opened(IwarpConnection connection) throws RdmaException {
        checkActive();
        connections.add(connection);
    }

    @Override
    public synchronized void ended(IwarpConnection connection) {
        connections.remove(connection);
    }

    private synchronized void closed(IwarpListener listener) {
        listeners.remove(listener);
    }

    @GuardedBy("this")
    private void checkActive() throws RdmaException {
        if (deactivated) {
            throw new RdmaException(Kind.RESOURCES, "the provider has been stopped");
        }
    }
}
