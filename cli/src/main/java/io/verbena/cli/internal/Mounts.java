package io.verbena.cli.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.transfer.CopyEngine;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates, finds and removes mounts. May be called from any thread. */
@Component(service = Mounts.class)
public final class Mounts {
    /** The variable of a session with the name of the mount that its last {@code nfs:mount} has made or found. */
    public static final String LAST = ".verbena.mounted";

    /** The key of a configuration whose mount goes with the directory at which it is shown. */
    private static final String FOR_DIRECTORY = "verbena.mount.fordirectory";

    private static final Logger LOG = LoggerFactory.getLogger(Mounts.class);

    /**
     * The longest wait for the service of a configuration. The limit is much longer than needed if the bundle of the
     * service is present.
     */
    private static final Duration SERVICE_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    /**
     * The longest wait for a mount to close its files and its session. The limit is longer than the mount's own limit.
     */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(15);

    /** The time in seconds that a transfer has to clean up when it is ended. */
    private static final long TIDY_UP_SECONDS = 10;

    private final BundleContext context;
    private final Transfers transfers = new Transfers();
    private final RecentListings listings = new RecentListings();
    private final FactoryConfigurations configurations;
    private final NamedServices<Mount> services = new NamedServices<>();

    private final Object engineLock = new Object();

    @GuardedBy("engineLock")
    private CopyEngine engine;

    /** The places of the mounts, including former mounts as long as they are referenced. */
    private final Map<Mount, MountPlace> places = Collections.synchronizedMap(new WeakHashMap<>());

    @Activate
    public Mounts(BundleContext context, @Reference ConfigurationAdmin admin) {
        this.context = context;
        configurations = new FactoryConfigurations(admin, Mount.PID, Mount.NAME);
    }

    /**
     * Ends the transfers when the bundle stops, while their mounts are still present. If only Configuration Admin goes,
     * the transfers continue.
     */
    @Deactivate
    void deactivate() throws InterruptedException {
        listings.end();
        if (context.getBundle(0).getState() == Bundle.STOPPING) {
            transfers.end("the container is stopping", TIDY_UP_SECONDS, TimeUnit.SECONDS);
        } else if (context.getBundle().getState() == Bundle.STOPPING) {
            transfers.end("the shell's bundle was stopped", TIDY_UP_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Runs a transfer from or to mounts on the calling thread, which is interrupted when this bundle stops. */
    public <T> T transfer(Transfers.Transfer<T> transfer) throws IOException, InterruptedException, CommandException {
        return transfers.run(transfer);
    }

    /** Sets the engine. If the engine's bundle is replaced, another engine is set. */
    @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
    void setEngine(CopyEngine newEngine) {
        synchronized (engineLock) {
            engine = newEngine;
            engineLock.notifyAll();
        }
    }

    void unsetEngine(CopyEngine gone) {
        synchronized (engineLock) {
            if (engine == gone) {
                engine = null;
            }
        }
    }

    /** Returns the engine that copies and reads files, and waits for an engine that is being replaced. */
    public CopyEngine engine() throws CommandException {
        long deadline = System.nanoTime() + SERVICE_TIMEOUT.toNanos();
        synchronized (engineLock) {
            for (long left = SERVICE_TIMEOUT.toNanos();
                    engine == null && left > 0;
                    left = deadline - System.nanoTime()) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(engineLock, left);
                } catch (InterruptedException e) {
                    throw Failures.of(e);
                }
            }
            if (engine != null) {
                return engine;
            }
        }
        throw new CommandFailure(
                ExitStatus.NO_CONNECTION,
                "nothing here can copy or read files: is the bundle io.verbena.nfs.transfer started?");
    }

    /** Returns the listings of directories of mounts for completion. */
    public RecentListings listings() {
        return listings;
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addMount(Mount mount, Map<String, Object> properties) {
        places.put(mount, MountPlace.of(properties));
        services.add(mount.name(), mount);
    }

    void removeMount(Mount mount) {
        services.remove(mount.name(), mount);
    }

    /** Returns all mounts, sorted by name. */
    public List<Mount> all() {
        return services.all();
    }

    /** Returns the mount with a name, and waits for a mount that is being replaced. */
    public Mount get(String name) throws CommandException {
        Optional<Mount> mount = services.find(name);
        if (mount.isPresent()) {
            return mount.get();
        }
        try {
            if (configurations.contains(name)) {
                return await(name, found -> true);
            }
        } catch (IOException | InterruptedException e) {
            throw Failures.of(e);
        }
        List<String> names = services.names();
        throw new CommandFailure(
                ExitStatus.NOT_FOUND,
                "no mount '" + Text.printable(name) + "': "
                        + (names.isEmpty()
                                ? "there is none yet, nfs:mount makes one"
                                : "there is " + String.join(", ", names)));
    }

    /**
     * Mounts an export and waits until the mount is usable. If it does not become usable, it is removed completely.
     *
     * @param server the host name or address of the server
     * @param export the path on the server
     */
    public Mount mount(String name, String server, String export, MountOptions options)
            throws IOException, InterruptedException, CommandException {
        return mount(name, server, export, options, Map.of());
    }

    /** As {@link #mount}, of a mount that is made for a directory of this host, and goes with it. */
    public Mount mountForDirectory(String name, String server, String export, MountOptions options)
            throws IOException, InterruptedException, CommandException {
        return mount(name, server, export, options, Map.of(FOR_DIRECTORY, true));
    }

    /** Returns whether a mount was made by {@link #mountForDirectory}. */
    public boolean isForDirectory(String name) throws IOException {
        return configurations.value(name, FOR_DIRECTORY).isPresent();
    }

    private Mount mount(String name, String server, String export, MountOptions options, Map<String, Object> purpose)
            throws IOException, InterruptedException, CommandException {
        checkName(name);
        if (isKnown(name)) {
            boolean isAlike = isMountedAlike(name, new MountSource(server, export), options);
            throw new CommandException("there is a mount '" + name + "'" + sourceOf(name)
                    + (isAlike ? " alike already: --ensure takes it as it is" : " already: choose another name, or")
                    + (isAlike ? "" : " nfs:unmount it first"));
        }
        Map<String, Object> properties = new HashMap<>(purpose);
        properties.putAll(Map.of(Mount.SERVER, server, Mount.EXPORT, export, Mount.OPTIONS, options.toString()));
        configurations.create(name, properties);
        boolean mounted = false;
        try {
            Mount mount = services.await(name, found -> true, SERVICE_TIMEOUT)
                    .orElseThrow(() -> new CommandFailure(
                            ExitStatus.NO_CONNECTION,
                            "cannot mount " + server + ":" + export
                                    + ": no NFS client took the configuration; is verbena-nfs41-client started?"));
            mount.connect(CONNECT_TIMEOUT);
            mounted = true;
            return mount;
        } catch (IOException e) {
            throw Failures.about("cannot mount " + server + ":" + export, e);
        } finally {
            if (!mounted) {
                withdraw(name);
            }
        }
    }

    private boolean isKnown(String name) throws IOException {
        return configurations.contains(name) || services.find(name).isPresent();
    }

    private String sourceOf(String name) {
        return services.find(name).map(mount -> " of " + mount.source()).orElse("");
    }

    /** Returns whether a mount with the name is configured, with the same server, export and options. */
    public boolean isMountedAlike(String name, MountSource source, MountOptions options) throws IOException {
        Optional<String> given = configurations.value(name, Mount.OPTIONS);
        try {
            return source.server()
                            .equals(configurations.value(name, Mount.SERVER).orElse(null))
                    && source.export()
                            .equals(configurations.value(name, Mount.EXPORT).orElse("/"))
                    && options.equals(MountOptions.parse(given.orElse("")));
        } catch (IllegalArgumentException e) {
            LOG.debug("the options of mount {} make no sense, which the mount will tell", name, e);
            return false;
        }
    }

    /** Returns the mount with a name, once it is usable. */
    public Mount connected(String name) throws IOException, InterruptedException, CommandException {
        Mount mount = get(name);
        try {
            mount.connect(CONNECT_TIMEOUT);
            return mount;
        } catch (IOException e) {
            throw Failures.about("mount " + name + " of " + mount.source() + " is not usable", e);
        }
    }

    private static void checkName(String name) throws CommandException {
        if (!name.matches("[\\p{L}\\p{N}_.-]+")) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "'" + Text.printable(name) + "' cannot name a mount: letters, digits, '.', '_' and '-' can");
        }
    }

    /** Removes a mount, and waits until it has ended. */
    public void unmount(String name) throws IOException, InterruptedException, CommandException {
        if (!configurations.contains(name)) {
            get(name);
        }
        withdraw(name);
    }

    private void withdraw(String name) throws IOException, InterruptedException, CommandException {
        Optional<Mount> mount = services.find(name);
        configurations.delete(name);
        if (!services.awaitGone(name, SERVICE_TIMEOUT)) {
            throw new CommandException("mount '" + name + "' is still there " + SERVICE_TIMEOUT.toSeconds()
                    + " s after its configuration was deleted; bundle:diag may tell why");
        }
        if (mount.isPresent() && !mount.get().awaitEnd(END_TIMEOUT)) {
            LOG.warn("mount {} has gone, and is not done with its session after {}", name, END_TIMEOUT);
        }
    }

    /**
     * Returns the successor of a replaced mount. When the client's bundle is restarted or updated, the same
     * configuration creates a new service.
     *
     * @throws IOException if the successor does not appear in time, was unmounted meanwhile, or refers to another place
     */
    public Mount successor(Mount gone) throws IOException, InterruptedException {
        Mount successor = await(gone.name(), mount -> mount != gone);
        MountPlace before = places.get(gone);
        MountPlace now = places.get(successor);
        if (before != null && !before.equals(now)) {
            throw new IOException("mount '" + gone.name() + "' was " + before + " and is " + now
                    + " now, where its files may be others: run it again");
        }
        return successor;
    }

    private Mount await(String name, Predicate<Mount> test) throws IOException, InterruptedException {
        checkConfigured(name);
        Duration timeout = swapTimeout(name);
        Optional<Mount> mount = services.await(name, test, timeout);
        if (mount.isEmpty()) {
            checkConfigured(name);
            throw new IOException("mount '" + name + "' has not come within " + timeout.toSeconds()
                    + " s: is the bundle io.verbena.nfs41.client started?");
        }
        return mount.get();
    }

    private void checkConfigured(String name) throws IOException {
        if (!configurations.contains(name)) {
            throw new IOException("mount '" + name + "' has been unmounted");
        }
    }

    /** Returns the longest wait for the service of a mount, according to the options of the mount. */
    private Duration swapTimeout(String name) throws IOException {
        MountOptions options = MountOptions.DEFAULTS;
        try {
            options =
                    MountOptions.parse(configurations.value(name, Mount.OPTIONS).orElse(""));
        } catch (IllegalArgumentException e) {
            LOG.debug("the options of mount {} make no sense, which the mount will tell", name, e);
        }
        return Duration.ofSeconds(options.number(MountOption.SWAP_TIMEOUT));
    }
}
