package io.verbena.verbs.natives.internal.provider;

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
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.connection.CmId;
import io.verbena.verbs.natives.internal.connection.EventLoop;
import io.verbena.verbs.natives.internal.connection.NativeConnection;
import io.verbena.verbs.natives.internal.connection.ProviderContext;
import io.verbena.verbs.natives.internal.device.Device;
import io.verbena.verbs.natives.internal.device.Devices;
import io.verbena.verbs.natives.internal.library.CmEvent;
import io.verbena.verbs.natives.internal.library.Failures;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.NativeUnavailableException;
import io.verbena.verbs.natives.internal.memory.RandomNumbers;
import io.verbena.verbs.natives.internal.settings.NativeConfiguration;
import io.verbena.verbs.natives.internal.settings.NativeOptions;
import io.verbena.verbs.natives.internal.settings.NativeSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.metatype.annotations.Designate;

/**
 * The provider for the devices of this host. {@link NativeStarter} enables it where the libraries are installed. Any
 * thread.
 */
@Component(
        name = NativeProvider.COMPONENT,
        enabled = false,
        service = RdmaProvider.class,
        property = RdmaProvider.NAME + "=" + NativeSettings.PROVIDER,
        configurationPid = NativeConfiguration.PID)
@Designate(ocd = NativeConfiguration.class)
public final class NativeProvider implements RdmaProvider, ProviderContext {
    static final String COMPONENT = "io.verbena.verbs.natives.internal.NativeProvider";

    private static final Duration PROBE = Duration.ofSeconds(1);

    private final NativeLibraries libraries;
    private final NativeSettings settings;
    private final Devices devices;
    private final EventLoop events;
    private final RandomNumbers random = new RandomNumbers();
    private final WireTap tap = new WireTap(
            (observer, failure) -> Log.LOGGER.warn("{} has failed and observes no more", observer, failure));

    private final ProviderUsers users = new ProviderUsers(this::release);

    @Activate
    public NativeProvider(NativeConfiguration configuration) throws NativeUnavailableException, NativeException {
        this(NativeLibraries.load(), NativeSettings.of(configuration));
    }

    /** A provider with the default settings. */
    public NativeProvider() throws NativeUnavailableException, NativeException {
        this(NativeLibraries.load(), NativeSettings.DEFAULT);
    }

    NativeProvider(NativeLibraries libraries, NativeSettings settings) throws NativeException {
        this.libraries = libraries;
        this.settings = settings;
        devices = new Devices(libraries);
        devices.warnOfUnknown(settings);
        events = new EventLoop(libraries);
        events.start();
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
        return NativeSettings.PROVIDER;
    }

    @Override
    public List<RdmaDevice> devices() {
        try {
            users.begin();
        } catch (RdmaException e) {
            Log.LOGGER.debug("no devices are listed", e);
            return List.of();
        }
        try {
            return devices.list(settings);
        } finally {
            users.end();
        }
    }

    @Override
    public boolean reaches(InetSocketAddress remote) {
        InetAddress address = remote.getAddress();
        if (address == null || address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return false;
        }
        try {
            CmId id = begin();
            try {
                resolveAddress(id, remote, System.nanoTime() + PROBE.toNanos());
                return true;
            } finally {
                id.destroy();
                end(id);
            }
        } catch (RdmaException | NativeException e) {
            Log.LOGGER.debug("{} is not reached by a device", remote, e);
            return false;
        }
    }

    private Device resolveAddress(CmId id, InetSocketAddress remote, long deadline)
            throws RdmaException, NativeException {
        libraries.cm().resolveAddr(id.id(), remote, CmId.millisUntil(deadline));
        id.await(CmEvent.Type.ADDR_RESOLVED, deadline);
        long context = libraries.cm().verbs(id.id());
        if (context == 0) {
            throw new RdmaException(Kind.UNREACHABLE, "there is no RDMA device for " + Addresses.text(remote));
        }
        Device device = devices.usable(context, settings);
        events.watch(context);
        return device;
    }

    @Override
    public RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout)
            throws RdmaException {
        NativeOptions all = defaults().with(options.provider());
        InetSocketAddress resolved = resolve(remote);
        long deadline = System.nanoTime() + timeout.toNanos();
        CmId id;
        try {
            id = begin();
        } catch (NativeException e) {
            throw Failures.opening(e);
        }
        boolean handedOver = false;
        try {
            Device device = resolveAddress(id, resolved, deadline);
            libraries.cm().resolveRoute(id.id(), CmId.millisUntil(deadline));
            id.await(CmEvent.Type.ROUTE_RESOLVED, deadline);
            NativeConnection connection = new NativeConnection(this, device, id, null, resolved, options, all, handler);
            handedOver = true;
            connection.start();
            return connection;
        } catch (NativeException e) {
            throw Failures.opening(e);
        } finally {
            if (!handedOver) {
                id.destroy();
            }
            end(id);
        }
    }

    /** Creates an id for an operation, which {@link #deactivate} aborts and waits for. */
    private CmId begin() throws RdmaException, NativeException {
        users.begin();
        boolean begun = false;
        try {
            CmId id = CmId.create(libraries, events);
            users.add(id);
            begun = true;
            return id;
        } finally {
            if (!begun) {
                users.end();
            }
        }
    }

    private void end(CmId id) {
        users.remove(id);
        users.end();
    }

    private NativeOptions defaults() {
        return new NativeOptions(settings.pollMicros());
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
        NativeOptions options = defaults().with(providerOptions);
        if (local.isUnresolved()) {
            throw new RdmaException(Kind.ADDRESS_UNAVAILABLE, "unknown host " + local.getHostString());
        }
        users.begin();
        try {
            if (local.getAddress().isLoopbackAddress() && !devices.have(local.getAddress(), settings)) {
                throw Failures.loopback(
                        local); // the connection manager would take it for any address, and get no request
            }
            NativeListener listener = new NativeListener(this, local, options, acceptor, users::remove);
            users.add(listener);
            return listener;
        } finally {
            users.end();
        }
    }

    /**
     * Closes all listeners and connections, and returns when all are freed. Where a handler or an acceptor calls this,
     * its own connection or listener is freed after the handler has returned, and then what all of them share.
     */
    @Deactivate
    public void deactivate() {
        users.stop();
    }

    private void release() {
        events.close();
        devices.close();
        libraries.cm().releaseDevices();
    }

    @Override
    public NativeLibraries libraries() {
        return libraries;
    }

    @Override
    public EventLoop events() {
        return events;
    }

    @Override
    public Devices deviceTable() {
        return devices;
    }

    @Override
    public NativeSettings settings() {
        return settings;
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
    public void opened(NativeConnection connection) throws RdmaException {
        users.add(connection);
    }

    @Override
    public void ended(NativeConnection connection) {
        users.remove(connection);
    }
}
