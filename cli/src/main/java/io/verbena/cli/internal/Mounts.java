package io.verbena.cli.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
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

/** The mounts that there are, and how they come and go. May be called from any thread. */
@Component(service = Mounts.class)
public final class Mounts {
    private static final Logger LOG = LoggerFactory.getLogger(Mounts.class);

    /** How long a configuration may take to become a service: far more than it does where its bundle is there. */
    private static final Duration SERVICE_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    /** How long a mount may take to close files and to give up its session: longer than its own bound for that. */
    private static final Duration END_TIMEOUT = Duration.ofSeconds(15);

    /** How long a transfer may take to tidy up when it is ended. */
    private static final long TIDY_UP_SECONDS = 10;

    private final BundleContext context;
    private final Transfers transfers = new Transfers();
    private final RecentListings listings = new RecentListings();
    private final Leftovers leftovers = new Leftovers();
    private final FactoryConfigurations configurations;
    private final NamedServices<Mount> services = new NamedServices<>();

    /** Of those that have gone, too, as long as somebody has them. */
    private final Map<Mount, MountPlace> places = Collections.synchronizedMap(new WeakHashMap<>());

    @Activate
    public Mounts(BundleContext context, @Reference ConfigurationAdmin admin) {
        this.context = context;
        configurations = new FactoryConfigurations(admin, Mount.PID, Mount.NAME);
    }

    /** Transfers end with the bundle, while the mounts that they use are there; where Configuration Admin goes they go on. */
    @Deactivate
    void deactivate() throws InterruptedException {
        listings.end();
        if (context.getBundle(0).getState() == Bundle.STOPPING) {
            transfers.end("the container is stopping", TIDY_UP_SECONDS, TimeUnit.SECONDS);
        } else if (context.getBundle().getState() == Bundle.STOPPING) {
            transfers.end("the shell's bundle was stopped", TIDY_UP_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Runs what moves files from or to mounts, on this thread, which is interrupted when this bundle stops. */
    public <T> T transfer(Transfers.Transfer<T> transfer) throws IOException, InterruptedException, CommandException {
        return transfers.run(transfer);
    }

    /** What transfers had to leave. */
    public Leftovers leftovers() {
        return leftovers;
    }

    /** What is in directories of mounts, for who is typing. */
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

    /** All mounts, by name. */
    public List<Mount> all() {
        return services.all();
    }

    /** The mount of that name; one that is being replaced is waited for. */
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
     * Mounts an export and waits until it can be used; where it cannot, nothing is left of it.
     *
     * @param server host name or address
     * @param export path on the server
     */
    public Mount mount(String name, String server, String export, MountOptions options)
            throws IOException, InterruptedException, CommandException {
        checkName(name);
        if (configurations.contains(name) || services.find(name).isPresent()) {
            String source =
                    services.find(name).map(mount -> " of " + mount.source()).orElse("");
            throw new CommandException("there is a mount '" + name + "'" + source
                    + " already: choose another name, or nfs:unmount it first");
        }
        configurations.create(
                name, Map.of(Mount.SERVER, server, Mount.EXPORT, export, Mount.OPTIONS, options.toString()));
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

    private static void checkName(String name) throws CommandException {
        if (!name.matches("[\\p{L}\\p{N}_.-]+")) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "'" + Text.printable(name) + "' cannot name a mount: letters, digits, '.', '_' and '-' can");
        }
    }

    /** Unmounts, and waits until it is done. */
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
     * The mount that takes the place of one that was replaced: when the client's bundle is restarted or updated, the same
     * configuration makes a new service.
     *
     * @throws IOException where it does not come in time, was unmounted meanwhile, or is of another place now
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

    /** How long a mount's service is waited for, by its options. */
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
