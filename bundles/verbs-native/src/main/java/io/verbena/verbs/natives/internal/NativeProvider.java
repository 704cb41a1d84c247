package io.verbena.verbs.natives.internal;

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

/** The devices of this host. {@link NativeStarter} enables it where there are the libraries for them. */
@Component(
        name = NativeProvider.COMPONENT,
        enabled = false,
        service = RdmaProvider.class,
        property = RdmaProvider.NAME + "=" + NativeProvider.NAME,
        configurationPid = NativeConfiguration.PID)
@Designate(ocd = NativeConfiguration.class)
public final class NativeProvider implements RdmaProvider, ConnectionFactory {
    static final String COMPONENT = "io.verbena.verbs.natives.internal.NativeProvider";

    static final String NAME = "native";

    private static final Duration PROBE = Duration.ofSeconds(1);

    private final Natives natives;
    private final NativeSettings settings;
    private final Devices devices;
    private final EventLoop events;
    private final RandomNumbers random = new RandomNumbers();
    private final WireTap tap = new WireTap(
            (observer, failure) -> Log.LOGGER.warn("{} has failed and observes no more", observer, failure));

    private final Occupants occupants = new Occupants(this::release);

    @Activate
    public NativeProvider(NativeConfiguration configuration) throws NativeUnavailableException, NativeException {
        this(load(), NativeSettings.of(configuration));
    }

    /** A provider as it is configured by default. */
    public NativeProvider() throws NativeUnavailableException, NativeException {
        this(load(), NativeSettings.DEFAULT);
    }

    private static Natives load() throws NativeUnavailableException {
        NativeLibraries libraries = NativeLibraries.load();
        return new Natives(libraries.ibverbs(), libraries.rdmacm(), libraries.posix());
    }

    NativeProvider(Natives natives, NativeSettings settings) throws NativeException {
        this.natives = natives;
        this.settings = settings;
        devices = new Devices(natives);
        devices.warnOfUnknown(settings);
        events = new EventLoop(natives);
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
        return NAME;
    }

    @Override
    public List<RdmaDevice> devices() {
        try {
            occupants.begin();
        } catch (RdmaException e) {
            Log.LOGGER.debug("no devices are listed", e);
            return List.of();
        }
        try {
            return devices.list(settings);
        } finally {
            occupants.end();
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
        natives.cm().resolveAddr(id.id(), remote, CmId.millisUntil(deadline));
        id.await(CmEvent.Type.ADDR_RESOLVED, deadline);
        long context = natives.cm().verbs(id.id());
        if (context == 0) {
            throw new RdmaException(Kind.UNREACHABLE, "there is no RDMA device for " + remote);
        }
        Device device = devices.usable(context, settings);
        events.watch(context);
        return device;
    }

    @Override
    public RdmaConnection open(
            InetSocketAddress remote, ConnectionOptions options, ConnectionHandler handler, Duration timeout)
            throws RdmaException {
        ProviderOptions all = defaults().with(options.provider());
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
            natives.cm().resolveRoute(id.id(), CmId.millisUntil(deadline));
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

    /** An id of an operation that {@link #deactivate} breaks off and waits for. */
    private CmId begin() throws RdmaException, NativeException {
        occupants.begin();
        boolean begun = false;
        try {
            CmId id = CmId.create(natives, events);
            occupants.add(id);
            begun = true;
            return id;
        } finally {
            if (!begun) {
                occupants.end();
            }
        }
    }

    private void end(CmId id) {
        occupants.remove(id);
        occupants.end();
    }

    private ProviderOptions defaults() {
        return new ProviderOptions(settings.pollMicros());
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
        ProviderOptions options = defaults().with(providerOptions);
        if (local.isUnresolved()) {
            throw new RdmaException(Kind.ADDRESS_UNAVAILABLE, "unknown host " + local.getHostString());
        }
        occupants.begin();
        try {
            if (local.getAddress().isLoopbackAddress() && !devices.have(local.getAddress(), settings)) {
                throw Failures.loopback(local); // the manager would take it for any address, and hear nobody
            }
            NativeListener listener = new NativeListener(this, local, options, acceptor, occupants::remove);
            occupants.add(listener);
            return listener;
        } finally {
            occupants.end();
        }
    }

    /**
     * Ends all listeners and connections, and returns when nothing of them is left; where it is called from within one of
     * them, its handler or its acceptor, that goes when it returns from there, and what all of them use with it.
     */
    @Deactivate
    public void deactivate() {
        occupants.stop();
    }

    private void release() {
        events.close();
        devices.close();
        natives.cm().releaseDevices();
    }

    @Override
    public Natives natives() {
        return natives;
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
        occupants.add(connection);
    }

    @Override
    public void ended(NativeConnection connection) {
        occupants.remove(connection);
    }
}
